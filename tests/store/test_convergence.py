"""The last row of `convergence` is what `standings` says, also where the error comes from the batch totals."""

from pathlib import Path

import pytest

from tests.runner.helpers import experiment, play, rows

LAST = """
SELECT s.bb100, s.lo_bb100, s.hi_bb100, c.bb100 AS mean, c.lo_bb100 AS low, c.hi_bb100 AS high
FROM standings s JOIN convergence c USING (structure, entrant)
QUALIFY row_number() OVER (PARTITION BY structure, entrant ORDER BY c.deals DESC) = 1
"""


@pytest.mark.parametrize("deals", [20, 640])
def test_it_ends_where_standings_stand(deals: int, tmp_path: Path) -> None:
    entrants = [{"strategy": name} for name in ("tight", "loose", "station")]
    keys = {"schedule": "round_robin", "entrants": entrants, "deals": deals, "batch_groups": 16}
    found = rows(play(experiment(tmp_path, **keys), "x.duckdb").path, LAST)
    assert len(found) == 3
    for numbers in found:
        assert numbers[:3] == pytest.approx(numbers[3:], rel=1e-9)
