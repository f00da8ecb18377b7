"""The answer of a run: its ranking, and how far the first is ahead."""

from collections.abc import Sequence
from typing import Any

from razzsim.cli.output import print_table

Row = dict[str, Any]


def print_standings(standings: Sequence[Row], head_to_head: Sequence[Row]) -> None:
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
        if sentence := _lead(rows, [row for row in head_to_head if row["structure"] == structure]):
            print(sentence)


def _cells(row: Row) -> tuple[str, ...]:
    hands, deals = f"{row['hands']:,}", f"{row['groups']:,}"
    if row["se_bb100"] is None:
        return str(row["rank"]), row["entrant"], f"{row['bb100']:+.2f}", "unknown", "", "", hands, deals
    half = row["hi_bb100"] - row["bb100"]
    interval = (f"{row['lo_bb100']:+.2f}", f"{row['hi_bb100']:+.2f}")
    return str(row["rank"]), row["entrant"], f"{row['bb100']:+.2f}", f"{half:.2f}", *interval, hands, deals


def _lead(rows: Sequence[Row], head_to_head: Sequence[Row]) -> str | None:
    """How the first stands to the second: paired on the same deals where they shared a table."""
    if len(rows) < 2:
        return None
    first, second = rows[0]["entrant"], rows[1]["entrant"]
    paired = next((row for row in head_to_head if (row["entrant"], row["rival"]) == (first, second)), None)
    if paired is None:
        return None
    if paired["se_bb100"] is None:
        deals = f"{paired['groups']:,} deals"
        return f"{first} and {second} cannot be told apart: too few deals, or the same result on each of {deals}"
    half = paired["hi_bb100"] - paired["diff_bb100"]
    lead = f"{paired['diff_bb100']:+.2f} ± {half:.2f} BB/100 against {second} on the same deals (95%)"
    if paired["lo_bb100"] > 0:
        return f"{first} is ahead: {lead}"
    return f"{first} and {second} cannot be told apart at this precision: {first} {lead}"
