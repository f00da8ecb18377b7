"""The fast engine equals the reference engine on 20,000 random hands, 2 to 8 seats, most with short stacks.

Every decision is compared (actor, legal actions, amounts, stacks, bets, cards) and every ending (pots, winners,
uncalled bets, rake, who shows in which order). More hands: `python -m tests.differential --hands 1000000`.
"""

import pytest

from tests import differential


@pytest.mark.parametrize(("preset", "hands"), [("pokerstars", 12_000), (None, 8_000)])
def test_no_difference(preset: str | None, hands: int) -> None:
    """None: each parameter of the rules drawn at random, hand by hand."""
    decisions = differential.run(hands, seed=20_261_129, preset=preset)
    assert decisions > 10 * hands
