"""Finished runs of every schedule, once for all tests of reports."""

from pathlib import Path

import pytest

from tests.runner.helpers import experiment, play

SIX = {"seats": 3, "ante": 3, "bring_in": 5, "small_bet": 20, "big_bet": 40}
ENTRANTS = [{"strategy": name} for name in ("thief", "tight", "loose")]


def _play(tmp_path_factory: pytest.TempPathFactory, name: str, **keys) -> Path:
    return play(experiment(tmp_path_factory.mktemp(name), name, **keys), f"{name}.duckdb").path


@pytest.fixture(scope="session")
def table(tmp_path_factory):
    """Three entrants at a table under one structure."""
    keys = {"schedule": "table", "table": SIX, "entrants": ENTRANTS, "deals": 2000}
    return _play(tmp_path_factory, "table", **keys)


@pytest.fixture(scope="session")
def round_robin(tmp_path_factory):
    """Three entrants, every pair."""
    return _play(tmp_path_factory, "round", schedule="round_robin", entrants=ENTRANTS, deals=1000)


@pytest.fixture(scope="session")
def grid(tmp_path_factory):
    """The same table under three antes."""
    structures = {f"ante-{ante}": {**SIX, "ante": ante} for ante in (0, 3, 9)}
    keys = {"schedule": "table", "table": None, "structures": structures, "entrants": ENTRANTS, "deals": 500}
    return _play(tmp_path_factory, "grid", **keys)
