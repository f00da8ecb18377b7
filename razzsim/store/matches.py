"""How well matches are known, for those who watch a run."""

from razzsim.store.database import Connection


def half_widths(connection: Connection, run_id: str) -> list[tuple[str, float]]:
    """Of every two entrants that met: "a vs b", and half of the 95% interval of their difference in BB/100.

    The structure is named where there are several.
    """
    return connection.execute(
        """SELECT entrant || ' vs ' || rival
                  || CASE WHEN max(structure) OVER () > min(structure) OVER () THEN ', ' || structure ELSE '' END,
                  (hi_bb100 - lo_bb100) / 2
           FROM head_to_head WHERE run_id = ? AND entrant < rival AND se_bb100 IS NOT NULL ORDER BY ALL""",
        [run_id],
    ).fetchall()
