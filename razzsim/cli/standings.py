"""The answer of a run: its ranking, and how far the first is ahead."""

import math
from collections.abc import Sequence
from typing import Any

from razzsim.cli.output import print_table

Row = dict[str, Any]


def print_standings(standings: Sequence[Row], head_to_head: Sequence[Row], schedule: str) -> None:
    """One table a structure, best first, and a sentence about the lead."""
    structures = list(dict.fromkeys(row["structure"] for row in standings))
    for structure in structures:
        rows = [row for row in standings if row["structure"] == structure]
        if len(structures) > 1:
            print(f"\n{structure}")
        print_table(
            ("rank", "entrant", "BB/100", "±95%", "from", "to", "hands", "deals"),
            [_cells(row) for row in rows],
            (True, False, True, True, True, True, True, True),
        )
        if sentence := _lead(rows, [row for row in head_to_head if row["structure"] == structure], schedule):
            print(sentence)


def _cells(row: Row) -> tuple[str, ...]:
    hands, deals = f"{row['hands']:,}", f"{row['groups']:,}"
    if row["se_bb100"] is None:
        return str(row["rank"]), row["entrant"], _signed(row["bb100"]), "unknown", "", "", hands, deals
    interval = (_signed(row["lo_bb100"]), _signed(row["hi_bb100"]))
    return str(row["rank"]), row["entrant"], _signed(row["bb100"]), f"{_half(row):.2f}", *interval, hands, deals


def _lead(rows: Sequence[Row], head_to_head: Sequence[Row], schedule: str) -> str | None:
    """How far the first is ahead of the second: paired on the same deals where all share a table."""
    if len(rows) < 2:
        return None
    first, second = rows[0], rows[1]
    names = f"{first['entrant']} and {second['entrant']}"
    if schedule == "round_robin" and len(rows) > 2:
        lead, half = first["bb100"] - second["bb100"], _half(first) + _half(second)
        how = f"over {second['entrant']} in the mean over all rivals (95%, errors added up)"
    else:
        pair = (first["entrant"], second["entrant"])
        paired = next(row for row in head_to_head if (row["entrant"], row["rival"]) == pair)
        lead, half = paired["diff_bb100"], paired["hi_bb100"] - paired["diff_bb100"] if paired["se_bb100"] else math.inf
        how = f"against {second['entrant']} on the same deals (95%)"
    if half == math.inf:
        return f"{names} cannot be told apart: too few deals, or equal on every one of {first['groups']:,}"
    if lead > half:
        return f"{first['entrant']} is ahead: {lead:+.2f} ± {half:.2f} BB/100 {how}"
    return f"{names} cannot be told apart at this precision: {lead:+.2f} ± {half:.2f} BB/100 {how}"


def _signed(value: float) -> str:
    """Two decimals with a sign; what rounds to nothing has none below zero."""
    return f"{round(value, 2) + 0.0:+.2f}"


def _half(row: Row) -> float:
    """Half the width of a row's interval; infinite when nothing is known."""
    return math.inf if row["se_bb100"] is None else float(row["hi_bb100"] - row["bb100"])
