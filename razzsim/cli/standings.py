"""The answer of a run: its ranking, and how far the first is ahead."""

from collections.abc import Sequence

from razzsim.cli.output import print_table
from razzsim.report.words import STANDINGS_COLUMNS, Row, lead, standings_cells


def print_standings(standings: Sequence[Row], head_to_head: Sequence[Row], schedule: str) -> None:
    """One table a structure, best first, and a sentence about the lead."""
    structures = list(dict.fromkeys(row["structure"] for row in standings))
    for structure in structures:
        rows = [row for row in standings if row["structure"] == structure]
        if len(structures) > 1:
            print(f"\n{structure}")
        print_table(
            STANDINGS_COLUMNS,
            [standings_cells(row) for row in rows],
            [column != "entrant" for column in STANDINGS_COLUMNS],
        )
        if sentence := lead(rows, [row for row in head_to_head if row["structure"] == structure], schedule):
            print(sentence)
