"""Perft: the leaves of betting trees, counted, and the trees of both engines compared node by node.

Authority: the specification's table of leaf counts (deep stacks; a leaf ends the round or leaves one seat); beyond
it the reference engine, for more caps, short stacks of odd amounts and whole hands of tiny stacks.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from razzsim.engine.hand import Hand
from razzsim.engine.rules import rules_of
from tests.engine.both import act, both, clone
from tests.engine.stacked import DEEP, LIMITS, UPS, boards, deck, new, passive
from tests.reference.hand import Hand as ReferenceHand

FOLD, CALL = 0, 1


def leaves(hand: Hand, *, free_folds: bool) -> int:
    """Leaves of this betting round under the hand's decision."""
    assert hand.actor is not None
    total = 0
    free = hand.me(hand.actor)["to_call_chips"] == 0
    for action in hand.legal:
        if action == FOLD and free and not free_folds:
            continue
        twin = clone(hand)
        twin.apply(action)
        total += 1 if twin.actor is None else leaves(twin, free_folds=free_folds)
    return total


@pytest.mark.parametrize(("cap", "expected"), [(4, (18, 258, 3_054)), (5, (22, 542, 9_970))])
def test_third_street(cap: int, expected: tuple[int, ...]) -> None:
    assert tuple(leaves(new([DEEP] * n, max_bets=cap), free_folds=False) for n in (2, 3, 4)) == expected


@pytest.mark.parametrize(("cap", "expected"), [(4, (17, 247, 2_793)), (5, (21, 529, 9_425))])
@pytest.mark.parametrize("street", [4, 5, 6, 7])
def test_later_streets_without_free_folds(street: int, cap: int, expected: tuple[int, ...]) -> None:
    """Four seats on two of the streets only: the largest trees."""
    for n, count in zip((2, 3, 4), expected, strict=True):
        if n < 4 or street in (4, 7):
            assert leaves(passive(new([DEEP] * n, max_bets=cap), street), free_folds=False) == count


@pytest.mark.parametrize(("cap", "expected"), [(4, (19, 277, 3_331)), (5, (23, 565, 10_535))])
@pytest.mark.parametrize("street", [4, 5, 6, 7])
def test_later_streets_with_free_folds(street: int, cap: int, expected: tuple[int, ...]) -> None:
    """B10."""
    for n, count in zip((2, 3, 4), expected, strict=True):
        if n < 4 or street in (5, 7):
            assert leaves(passive(new([DEEP] * n, max_bets=cap), street), free_folds=True) == count


# ---- against the reference ----------------------------------------------------------------------


def same_tree(fast: Hand, slow: ReferenceHand, last_street: int) -> int:
    """Leaves of the tree to the end of last_street; both engines ask the same at every node and pay the same."""
    if slow.actor is None or slow.street > last_street:
        assert fast.actor == slow.actor
        if slow.actor is None:
            twin = clone(fast)
            twin.settle()
            assert twin.net == slow.net
        return 1
    me, table = fast.me(slow.actor), fast.table
    asked = (fast.actor, list(fast.legal), me["to_call_chips"], me["raise_to_chips"], table["n_bets"])
    assert asked == (slow.actor, slow.legal(), slow.to_call(), slow.raise_to(), slow.n_bets)
    total = 0
    for action in fast.legal:
        twin, other = clone(fast), slow.clone()
        act(twin, other, action)
        total += same_tree(twin, other, last_street)
    return total


def pair(stacks: Sequence[int], street: int, **changes: Any) -> tuple[Hand, ReferenceHand]:
    """Both engines on this street, all in for the bring-in before it; stacks count from there."""
    limits = changes.pop("limits", LIMITS)
    before = limits[0] + (limits[1] if street > 3 else 0)
    rules: Mapping[str, Any] = rules_of("pokerstars", changes)
    slots = deck(boards(*UPS[: len(stacks)]))
    fast, slow = both(rules, limits, [chips + before for chips in stacks], slots)
    while slow.actor is not None and slow.street < street:
        act(fast, slow, CALL)
    return fast, slow


@pytest.mark.parametrize("street", [3, 4, 7])
@pytest.mark.parametrize("cap", [1, 2, 3, 6])
def test_same_tree_deep(cap: int, street: int) -> None:
    for n in (2, 3, 4):
        if n == 4 and cap > 3:
            continue
        fast, slow = pair([DEEP] * n, street, max_bets=cap)
        assert same_tree(fast, slow, street) > cap


FULL_ON_TOP = {"short_all_in": "full_on_top"}
SHORT: list[tuple[int, list[int], dict[str, Any]]] = [
    # street, stacks on it, parameters beside pokerstars; half of the small bet is 10, of the big bet 20
    (3, [9, 31, 200], {}),
    (3, [12, 15, 200], {}),
    (3, [14, 13, 200], {"short_bring_in": "posted"}),
    (3, [200, 26, 3], {"short_bring_in": "posted"}),
    (3, [200, 33, 3], {"short_bring_in": "full"}),
    (3, [15, 47, 4], {"max_bets": None}),
    (3, [23, 200, 17, 0], {"displaced_bring_in": "may_fold"}),
    (3, [23, 37, 200, 0], {"displaced_bring_in": "forced"}),
    (3, [7, 57, 49], {"limits": (1, 20, 20, 40)}),
    (3, [47, 200, 11], {"limits": (1, 20, 20, 40), "short_bring_in": "posted"}),
    (4, [9, 200, 200], {}),
    (4, [15, 26, 200], {}),
    (4, [26, 32, 200], {}),
    (4, [200, 6, 14], {}),
    (4, [200, 30, 26], FULL_ON_TOP),
    (4, [9, 15, 200], FULL_ON_TOP),
    (4, [66, 200, 200], {"short_all_in_counts_to_cap": "none"}),
    (4, [70, 200, 200], {"short_all_in_counts_to_cap": "none"}),
    (4, [66, 27, 200], {"short_all_in_counts_to_cap": "all"}),
    (4, [70, 31, 200], {"short_all_in_counts_to_cap": "half"}),
    (4, [29, 31, 200], {"heads_up_cap": "uncapped_if_round_starts_heads_up"}),
    (4, [0, 95, 85], {"heads_up_cap": "uncapped_if_round_starts_heads_up"}),
    (4, [9, 26, 32, 41], {}),
    (4, [15, 6, 51, 200], {"max_bets": 3}),
    (5, [19, 59, 200], {}),
    (5, [20, 61, 200], {"max_bets": None}),
    (7, [21, 39, 52, 200], {"max_bets": 3}),
    (7, [133, 79, 101], FULL_ON_TOP),
]


@pytest.mark.parametrize(("street", "stacks", "changes"), SHORT, ids=lambda value: str(value).replace(" ", ""))
def test_same_tree_short_stacks(street: int, stacks: list[int], changes: dict[str, Any]) -> None:
    fast, slow = pair(stacks, street, **changes)
    assert same_tree(fast, slow, street) > 5


@pytest.mark.parametrize(
    ("stacks", "changes"),
    [
        ([9, 9], {}),
        ([13, 11], {"limits": (1, 2, 4, 8)}),
        ([11, 17], {"limits": (1, 2, 4, 8), "max_bets": None}),
        ([6, 5, 8], {"limits": (1, 2, 4, 8)}),
        pytest.param([7, 3, 6], {"limits": (1, 1, 2, 4), "short_all_in_counts_to_cap": "all"}, marks=pytest.mark.slow),
        ([5, 0, 4, 3], {"limits": (1, 1, 2, 4), "displaced_bring_in": "may_fold"}),
        ([5, 7, 6], {"limits": (1, 2, 4, 8), **FULL_ON_TOP}),
    ],
)
def test_same_tree_whole_hands(stacks: list[int], changes: dict[str, Any]) -> None:
    """Every line of play from the bring-in to the payout."""
    fast, slow = pair(stacks, 3, **changes)
    assert same_tree(fast, slow, 7) > 20
