"""What people read: tables on stdout, progress on stderr."""

import json
import math
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from decimal import Decimal
from typing import TYPE_CHECKING, Any, TextIO

from razzsim import events
from razzsim.cli.log import is_json, note, nothing_but_json

if TYPE_CHECKING:
    from razzsim.runner.open_run import Progress as RunProgress
    from razzsim.runner.session import Watch

_PLAIN_EVERY_S = 10
"""Seconds between lines of progress where there is no bar."""


def as_json(value: Any) -> str:
    """One JSON document; whole numbers beyond 64 bits stay whole."""
    return json.dumps(_finite(value), default=_json_value, indent=2, allow_nan=False)


def _finite(value: Any) -> Any:
    """The value with null for what JSON has no number for."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    return [_finite(item) for item in value] if isinstance(value, list | tuple) else value


def _json_value(value: Any) -> Any:
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    return str(value)


def print_table(
    columns: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[bool], stream: TextIO | None = None
) -> None:
    """A table on a stream, default stdout; one line a row, as wide as its content when stdout is not a terminal."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console() if sys.stdout.isatty() else Console(width=10_000)
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column, is_right in zip(columns, right, strict=True):
        table.add_column(column, justify="right" if is_right else "left", no_wrap=True)
    for row in rows:
        table.add_row(*(Text(_on_one_line(cell)) for cell in row))  # as text: names may hold [brackets]
    with console.capture() as captured:
        console.print(table)
    for line in captured.get().splitlines():
        print(line.rstrip(), file=stream)


def _on_one_line(text: str) -> str:
    """The text with line ends and other characters that move the cursor as Python writes them: `\\n`."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def seconds_text(seconds: float | None) -> str:
    """`75.2` -> `1:15`; None -> `?`."""
    if seconds is None:
        return "?"
    whole = round(seconds)
    hours, rest = divmod(whole, 3600)
    return f"{hours}:{rest // 60:02}:{rest % 60:02}" if hours else f"{rest // 60}:{rest % 60:02}"


class _Pace:
    """Whether it is time for another line of progress."""

    def __init__(self) -> None:
        self._last = time.monotonic()

    def __call__(self) -> bool:
        is_due = time.monotonic() - self._last >= _PLAIN_EVERY_S
        if is_due:
            self._last = time.monotonic()
        return is_due


@contextmanager
def run_progress() -> Iterator[tuple[Callable[[str], None], Callable[["RunProgress"], None]]]:
    """How to say something and how to show how far a run is."""
    if is_json():
        is_due = _Pace()
        with nothing_but_json():
            yield note, lambda now: events.tell("progress", _said(now), **asdict(now)) if is_due() else None
        return
    with _progress("playing") as (say, show):
        yield say, lambda progress: show(progress.hands, progress.hands_total, _said(progress))


@contextmanager
def deals_progress() -> Iterator["Watch"]:
    """Shows how many deals were played again."""
    from razzsim.runner.session import Watch

    with _progress("playing again") as (say, show):
        yield Watch(say, share=lambda done, total: show(done, total, f"{done:,} of {total:,} deals"))


@contextmanager
def _progress(doing: str) -> Iterator[tuple[Callable[[str], None], Callable[[int, int, str], None]]]:
    """How to say something and how to show (done, total, in words): a bar on a terminal, else a plain line every ten
    seconds.
    """
    if not sys.stderr.isatty():
        is_due = _Pace()
        yield note, lambda done, total, said: note(said) if done and is_due() else None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[said]}"))
    console = Console(stderr=True)
    # Nothing is redirected: Ray writes to the terminal too, and its control codes must not be taken for text.
    with Progress(*columns, console=console, transient=True, redirect_stdout=False, redirect_stderr=False) as bar:
        task = bar.add_task(doing, total=None, said="starting")
        yield (
            lambda text: console.print(text, markup=False, highlight=False),
            lambda done, total, said: bar.update(task, total=total, completed=done, said=said),
        )


def _said(progress: "RunProgress") -> str:
    return (
        f"{progress.hands:,} of {progress.hands_total:,} hands, {progress.hands_per_s:,.0f} hands/s, "
        f"{seconds_text(progress.eta_s)} left"
    )
