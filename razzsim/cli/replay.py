"""razzsim hand show, razzsim hand find, razzsim materialize: deals of a stored run, played again."""

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from razzsim.runner.replay import StoredRun
    from razzsim.runner.session import Options

OUT = Annotated[Path, typer.Argument(help="A result file.")]
RUN = Annotated[str | None, typer.Option("--run", help="Which run of the file; default its only one.")]
LINE_UP = Annotated[int | None, typer.Option(min=0, help="A line-up by its number; default all.")]
DEALS = Annotated[str | None, typer.Option(metavar="A:B", help="Deals A to B - 1; default all that were played.")]
WORKERS = Annotated[int | None, typer.Option(min=1, max=100_000, help="Ray actors; default one a CPU.")]
LOCAL = Annotated[bool, typer.Option("--local", help="Play in this process, without Ray.")]


def show(
    out: OUT,
    deal: Annotated[int, typer.Option(min=0, help="Number of the deal.")],
    line_up: Annotated[int, typer.Option(min=0, help="Number of the line-up.")] = 0,
    rotation: Annotated[int, typer.Option(min=0, help="Which seating of the deal.")] = 0,
    run: RUN = None,
) -> None:
    """Play a stored hand again and print it street by street.

    Example: razzsim hand show runs/quickstart.duckdb --deal 4
    """
    from razzsim.cli.narrate import narrate
    from razzsim.runner.hands import stored_hand

    stored = _stored(out, run)
    stored.check_line_up(line_up)
    plan = stored.plan
    rotations = plan.line_ups[line_up].rotations
    if rotation >= rotations:
        raise typer.BadParameter(f"{rotation} is not allowed: 0 to {rotations - 1}", param_hint="--rotation")
    if deal >= plan.deals:
        raise typer.BadParameter(f"{deal} is not allowed: 0 to {plan.deals - 1}", param_hint="--deal")
    stored.check_deal(line_up, deal)
    found = stored_hand(plan, line_up, deal, rotation)
    limits = plan.limits_of(plan.line_ups[line_up])
    bets = "/".join(str(limits[name]) for name in ("ante", "bring_in", "small_bet", "big_bet"))
    print(
        f"run {plan.run_id} {plan.name}, line-up {line_up}, deal {deal}, rotation {rotation}, "
        f"{plan.game}, limits {bets}"
    )
    for line in narrate(found.hand, found.game, found.names, found.decide):
        print(line)


def find(
    out: OUT,
    predicate: Annotated[str, typer.Argument(help="A condition in SQL on the columns of the view hand_seats.")],
    line_up: LINE_UP = None,
    deals: DEALS = None,
    limit: Annotated[int, typer.Option(min=1, max=100_000, help="Seats to find at most.")] = 20,
    workers: WORKERS = None,
    local: LOCAL = False,
    json: Annotated[bool, typer.Option("--json", help="As one JSON document.")] = False,
    run: RUN = None,
) -> None:
    """Find hands by what happened, recorded or not: the deals are played again and looked through.

    Example: razzsim hand find runs/quickstart.duckdb "entrant = 'tight' AND net_chips < -300 AND street = 7"
    """
    from razzsim.cli.log import note
    from razzsim.cli.output import as_json, deals_progress, print_table
    from razzsim.runner.replay import find as find_in

    stored = _stored(out, run)
    with deals_progress() as watch:
        found = find_in(
            stored,
            predicate,
            line_ups=_line_ups(stored, line_up),
            deals=_deals(stored, deals),
            limit=limit,
            options=_options(workers, local),
            watch=watch,
        )
    rows = found.to_pylist()
    if json:
        sys.stdout.write(as_json(rows) + "\n")
        return
    if rows:
        cells = [[str(value) for value in row.values()] for row in rows]
        print_table(found.column_names, cells, [not isinstance(value, str) for value in rows[0].values()])
        first = rows[0]
        place = f"--line-up {first['line_up']} --deal {first['deal']} --rotation {first['rotation']}"
        if len(rows) == limit:
            note(f"the first {limit} are found, and there may be more: --limit")
        print(f"look at the first: razzsim hand show {shlex.quote(str(out))} {place}")
    else:
        note("no hand of these deals is like that")


def materialize(
    out: OUT,
    level: Annotated[str, typer.Option(help="groups, hands or actions.")],
    deals: DEALS = None,
    line_up: LINE_UP = None,
    workers: WORKERS = None,
    local: LOCAL = False,
    run: RUN = None,
) -> None:
    """Record rows of a run after the fact, by playing its deals again; those recorded already are left out.

    Example: razzsim materialize runs/quickstart.duckdb --level hands --deals 0:100000
    """
    from razzsim.cli.output import deals_progress
    from razzsim.records import LEVELS
    from razzsim.runner.replay import materialize as materialize_in

    if level not in LEVELS[1:]:
        raise typer.BadParameter(f"{level} is not allowed: {', '.join(LEVELS[1:])}", param_hint="--level")
    stored = _stored(out, run)
    with deals_progress() as watch:
        n_rows = materialize_in(
            stored,
            level,
            line_ups=_line_ups(stored, line_up),
            deals=_deals(stored, deals),
            options=_options(workers, local),
            watch=watch,
        )
    print(f"{out}: {n_rows:,} rows of {level} added" if n_rows else f"{out}: these rows of {level} are there already")


def _stored(out: Path, run: str | None) -> "StoredRun":
    from razzsim.runner.replay import StoredRun

    return StoredRun.read(out, run)


def _options(workers: int | None, local: bool) -> "Options":
    from razzsim.runner.session import Options

    return Options(workers, local)


def _line_ups(stored: "StoredRun", line_up: int | None) -> list[int]:
    if line_up is None:
        return list(range(len(stored.plan.line_ups)))
    stored.check_line_up(line_up)
    return [line_up]


def _deals(stored: "StoredRun", text: str | None) -> tuple[int, int]:
    most = max(spans.end for spans in stored.played.values()) if stored.played else 0
    if text is None:
        return 0, most
    first, colon, end = text.partition(":")
    if not colon or not first.isdecimal() or not end.isdecimal() or not int(first) < int(end) <= most:
        raise typer.BadParameter(f"{text} is not allowed: A:B with 0 <= A < B <= {most}", param_hint="--deals")
    return int(first), int(end)
