"""The program `razzsim`: its commands, and how every error becomes one line and a documented exit code."""

import os
import re
import sys
import traceback
from collections.abc import Sequence

import typer
from typer.exceptions import TyperException

from razzsim.cli import (
    export,
    fetch,
    hand,
    label,
    log,
    low,
    merge,
    plan,
    query,
    replay,
    report,
    rules,
    run,
    runs,
    schema,
    status,
    submit,
    validate,
    verify,
)
from razzsim.lazy import collect_seldom

DONE, WRONG_INPUT, UNFINISHED, SURROUNDINGS, OUR_FAULT, INTERRUPTED = 0, 2, 3, 4, 5, 130
_STDERR = 2
_CODES = {
    "razzsim.document.ConfigError": WRONG_INPUT,
    "razzsim.store.errors.StoreError": WRONG_INPUT,
    "razzsim.store.errors.DiskError": SURROUNDINGS,
    "razzsim.store.errors.TakenOverError": UNFINISHED,
    "razzsim.runner.executor.ExecutorError": SURROUNDINGS,
    "razzsim.metrics.MetricsError": SURROUNDINGS,
}
"""Exit codes of our own errors; that of a kind holds for those derived from it."""

app = typer.Typer(
    name="razzsim",
    help="Play Razz strategies against each other by the million; say which is better, by how much and how sure.",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    epilog="Exit codes: 0 done, 1 a check found a difference, 2 wrong input, 3 run ended unfinished, "
    "4 surroundings (disk, port, Ray), 5 our fault, 130 Ctrl-C, 143 SIGTERM. --debug shows tracebacks.",
)
for command in (
    run.run,
    run.resume,
    merge.merge,
    verify.verify,
    submit.submit,
    status.status,
    validate.validate,
    plan.plan,
    query.query,
    report.report,
    runs.runs,
    label.label,
    export.export,
    fetch.fetch,
    replay.materialize,
    schema.schema,
    low.low,
):
    app.command()(command)
for name, group in (("rules", rules.app), ("hand", hand.app)):
    app.add_typer(group, name=name)
hand.app.command()(replay.show)
hand.app.command()(replay.find)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the program and exit."""
    _open_streams()
    collect_seldom()
    log.reset()
    given = list(sys.argv[1:] if arguments is None else arguments) or ["--help"]
    debug = "--debug" in given
    try:
        code = typer.main.get_command(app).main(
            [word for word in given if word != "--debug"], prog_name="razzsim", standalone_mode=False
        )
        sys.exit(code if isinstance(code, int) else DONE)
    except Exception as error:
        if debug:
            traceback.print_exc()
        sys.exit(_say(error))
    except KeyboardInterrupt:
        log.note("interrupted")
        sys.exit(INTERRUPTED)


def _open_streams() -> None:
    """Have all three, as programs are started without some (`>&-`): a file that is opened would take their number."""
    while (handle := os.open(os.devnull, os.O_RDWR)) <= _STDERR:
        pass
    os.close(handle)
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 - as long as the process


def _say(error: Exception) -> int:
    """Print one line for an error and return its exit code."""
    if isinstance(error, typer.Exit):
        return error.exit_code
    if isinstance(error, typer.Abort):
        return INTERRUPTED
    if isinstance(error, TyperException):
        context = getattr(error, "ctx", None)
        command = context.command_path if context else "razzsim"
        words = " ".join(error.format_message().split())
        words = re.sub(r"\.? (?:\(Possible options: (.*)\)|Did you mean (.*)\?)$", r" (did you mean \1\2?)", words)
        log.error(f"{command}: {words}")
        return WRONG_INPUT
    if (code := _code_of(error)) is not None:
        log.error(str(error))
        return code
    if isinstance(error, BrokenPipeError):
        return DONE
    if isinstance(error, OSError):
        log.error(f"{error.filename or 'razzsim'}: {(error.strerror or str(error)).lower()}")
        return SURROUNDINGS
    words = " ".join(str(error).split())[:300]
    log.error(f"this is a fault of razzsim: {type(error).__name__}: {words}\nplease report it with what --debug shows")
    return OUR_FAULT


def _code_of(error: Exception) -> int | None:
    """The exit code of one of our own errors. By name: importing them all would bring in Numba and DuckDB."""
    names = (f"{kind.__module__}.{kind.__name__}" for kind in type(error).__mro__)
    return next((_CODES[name] for name in names if name in _CODES), None)
