"""Sentences and numbers that several commands say alike."""

import math
from collections.abc import Sequence
from typing import Any

Row = dict[str, Any]

STANDINGS_COLUMNS = ("rank", "entrant", "BB/100", "±95%", "from", "to", "hands", "deals")


def standings_cells(row: Row) -> tuple[str, ...]:
    """A row of standings as text, in the order of STANDINGS_COLUMNS."""
    hands, deals = f"{row['hands']:,}", f"{row['groups']:,}"
    if row["se_bb100"] is None:
        return str(row["rank"]), row["entrant"], signed(row["bb100"]), "unknown", "", "", hands, deals
    interval = (signed(row["lo_bb100"]), signed(row["hi_bb100"]))
    return str(row["rank"]), row["entrant"], signed(row["bb100"]), f"{_half(row):.2f}", *interval, hands, deals


def lead(rows: Sequence[Row], head_to_head: Sequence[Row], schedule: str) -> str | None:
    """How far the first is ahead of the second: paired on the same deals where all share a table."""
    if len(rows) < 2:
        return None
    first, second = rows[0], rows[1]
    names = f"{first['entrant']} and {second['entrant']}"
    if schedule == "round_robin" and len(rows) > 2:
        ahead, half = first["bb100"] - second["bb100"], _half(first) + _half(second)
        how = f"over {second['entrant']} in the mean over all rivals (95%, errors added up)"
    else:
        pair = (first["entrant"], second["entrant"])
        paired = next(row for row in head_to_head if (row["entrant"], row["rival"]) == pair)
        ahead, half = paired["diff_bb100"], _half(paired, "diff_bb100")
        how = f"against {second['entrant']} on the same deals (95%)"
    if half == math.inf:
        return f"{names} cannot be told apart: too few deals, or equal on every one of {first['groups']:,}"
    if ahead > half:
        return f"{first['entrant']} is ahead: {ahead:+.2f} ± {half:.2f} BB/100 {how}"
    return f"{names} cannot be told apart at this precision: {ahead:+.2f} ± {half:.2f} BB/100 {how}"


def state_of(status: str, *, being_written: bool) -> str:
    """The status in words: a driver that was killed could not say so, and its run still counts as running."""
    return "unfinished, nobody plays it" if status == "running" and not being_written else status


def signed(value: float, places: int = 2) -> str:
    """A number with a sign; what rounds to nothing has none below zero."""
    return f"{round(value, places) + 0.0:+,.{places}f}"


def share(value: float | None) -> str:
    """`0.1234` -> `12.3%`; nothing where there was nothing to share."""
    return "" if value is None else f"{100 * value:.1f}%"


def listed(names: Sequence[str]) -> str:
    """`a, b and c`."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _half(row: Row, of: str = "bb100") -> float:
    """Half the width of a row's interval; infinite when nothing is known."""
    return math.inf if row["se_bb100"] is None else float(row["hi_bb100"] - row[of])
