"""From contributions to shares: uncalled chips, pots, rake, odd chips, who shows. All pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tests.reference import lows


@dataclass
class Pot:
    """One pot after the uncalled chips went back (P5); amount is what is paid, after rake (P8)."""

    amount: int
    rake: int
    eligible: tuple[int, ...]
    winners: tuple[int, ...]
    shares: dict[int, int]


def uncalled_bet(put_in: Sequence[int]) -> tuple[int, int] | None:
    """P5: (seat, chips) that go back: the top contribution minus the second highest of any seat."""
    second, top = sorted(put_in)[-2:]
    return None if top == second else (list(put_in).index(top), top - second)


def layers(put_in: Sequence[int], live: Sequence[int]) -> list[tuple[int, tuple[int, ...]]]:
    """P5: (chips, eligible seats) of the main pot and each side pot; a layer of no chips is no pot.

    Live seats set the layer tops. Folded chips fill from below; should any lie above every live
    seat (the betting rules do not let that happen), they stay in the last pot.
    """
    tops = sorted({put_in[seat] for seat in live})
    result, below = [], 0
    for top in tops:
        chips = sum(min(put, top) - min(put, below) for put in put_in)
        if top == tops[-1]:
            chips += sum(max(0, put - top) for put in put_in)
        if chips > 0:
            result.append((chips, tuple(sorted(s for s in live if put_in[s] >= top))))
        below = top
    return result


def rake_of(chips: int, taken: int, rake: Mapping[str, Any] | None, street: int) -> int:
    """P8: take x floor(pot / per) of one pot, until what was taken in this hand reaches the cap."""
    if rake is None or street < (rake.get("from_street") or 3):
        return 0
    wanted: int = rake["take"] * (chips // rake["per"])
    if rake.get("cap") is None:
        return wanted
    left: int = rake["cap"] - taken
    return min(wanted, left)


def odd_chip_order(winners: Sequence[int], hands: Mapping[int, Sequence[int]], kind: str, game: str) -> list[int]:
    """P7: the winners in the order they get odd chips; `winners` come clockwise from the dealer."""
    order = list(winners)
    if len(order) > 1 and kind == "high_card_by_suit":
        order.sort(key=lambda seat: lows.suits_from_top(hands[seat], game), reverse=True)
    elif len(order) > 1 and kind == "low_card_by_suit":
        order.sort(key=lambda seat: lows.suits_from_bottom(hands[seat], game))
    return order


def split(chips: int, order: Sequence[int]) -> dict[int, int]:
    """P7: even shares; with r chips over, the first r winners get one chip more."""
    share, odd = divmod(chips, len(order))
    return {seat: share + (1 if place < odd else 0) for place, seat in enumerate(order)}


def show_order(first: int, clockwise: Sequence[int], pots: Sequence[Pot]) -> list[int]:
    """D1: `first`, then clockwise, side-pot seats before seats all-in for the main pot only."""
    rest = [seat for seat in clockwise if seat != first]
    side = {seat for pot in pots[1:] for seat in pot.eligible}
    main_only = [seat for seat in rest if len(pots) > 1 and seat not in side]
    return [first] + [seat for seat in rest if seat not in main_only] + main_only


def who_shows(order: Sequence[int], keys: Mapping[int, lows.LowKey], pots: Sequence[Pot]) -> set[int]:
    """D3: in show order a seat shows if it wins or ties a pot among the hands shown so far."""
    shown: set[int] = set()
    for seat in order:
        for pot in pots:
            rivals = [keys[other] for other in shown if other in pot.eligible]
            if seat in pot.eligible and all(keys[seat] <= rival for rival in rivals):
                shown.add(seat)
                break
    return shown
