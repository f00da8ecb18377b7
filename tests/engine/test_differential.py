"""The fast engine equals the reference engine on random hands, 2 to 8 seats, most with short stacks: 3,600, and
another 10,000 in the slow part.

Every decision is compared (actor, legal actions, amounts, stacks, bets, cap, cards) and every ending (pots, winners,
uncalled bets, rake, who shows in which order). Authority: the reference, written apart from the same specification.
More hands: `python -m tests.differential --hands 1000000`.
"""

import pytest

from razzsim.engine.games import GAMES
from razzsim.engine.rules import PRESETS
from tests import differential


@pytest.mark.slow
@pytest.mark.parametrize(("preset", "hands"), [("pokerstars", 6_500), (None, 3_500)])
def test_no_difference(preset: str | None, hands: int) -> None:
    """None: each parameter of the rules drawn at random, hand by hand."""
    decisions = differential.run(hands, seed=20_261_129, preset=preset)
    assert decisions > 10 * hands


@pytest.mark.parametrize("event", [False, True], ids=["cash", "event"])
@pytest.mark.parametrize("game", sorted(GAMES))
@pytest.mark.parametrize("preset", sorted(PRESETS))
def test_no_difference_under_every_preset_and_game(preset: str, game: str, event: bool) -> None:
    """In events half of the hands are played by the last two entrants (B11)."""
    assert differential.run(300, seed=len(preset + game), preset=preset, game=game, event=event) > 2_500
