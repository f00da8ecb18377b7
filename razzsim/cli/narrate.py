"""One hand told street by street: cards, who acts, what was possible, pots, and what each seat wins."""

from collections.abc import Callable, Iterator, Sequence

from razzsim.engine.cards import NO_CARD, cards_text
from razzsim.engine.games import Game
from razzsim.engine.hand import Hand
from razzsim.engine.state import CALL, FOLD, RAISE

STREETS = {3: "third street", 4: "fourth street", 5: "fifth street", 6: "sixth street", 7: "seventh street"}
Decide = Callable[[Hand], int]
"""The action of the hand's actor."""


def narrate(hand: Hand, game: Game, names: Sequence[str], decide: Decide) -> Iterator[str]:
    """Play the hand to its end, asking `decide` for every action; yields its lines."""
    padded = [name.ljust(max(map(len, names))) for name in names]
    while not hand.is_over:
        if hand.street_is_over:
            hand.deal()
            yield from _street(hand, padded)
        else:
            said = offer_text(hand)
            action = decide(hand)
            told = action_text(hand, action)
            seat = hand.actor
            hand.apply(action)
            yield f"  seat {seat} {padded[seat or 0]}  {told:<20} {said}"
    hand.settle()
    yield from _ending(hand, game, names, padded)


def _street(hand: Hand, names: Sequence[str]) -> Iterator[str]:
    table = hand.table
    yield f"{STREETS[int(table['street'])]}: pot {table['pot_chips']}"
    if table["community"] != NO_CARD:
        yield f"  community card for all: {cards_text([int(table['community'])])}"
    for seat, name in enumerate(names):
        if table["live_mask"] >> seat & 1:
            cards = [int(card) for card in hand.me(seat)["cards"] if card != NO_CARD]
            down, up = [*cards[:2], *cards[6:]], cards[2:6]
            held = f"({cards_text(down)}) {cards_text(up)}"
            yield f"  seat {seat} {name}  {held:<30} {table['stack_chips'][seat]} behind"


def offer_text(hand: Hand) -> str:
    """What the actor may do: `[fold, call 5, complete to 20]`."""
    return "[" + ", ".join(action_text(hand, action) for action in hand.legal) + "]"


def action_text(hand: Hand, action: int) -> str:
    """An action of the actor in a player's words, before it is applied."""
    assert hand.actor is not None
    me, table = hand.me(hand.actor), hand.table
    if action == FOLD:
        return "fold"
    put = int(table["street_chips"][hand.actor])
    chips = int(me["to_call_chips"]) if action == CALL else int(me["raise_to_chips"]) - put
    all_in = " all-in" if chips and chips == table["stack_chips"][hand.actor] else ""
    if action == CALL:
        if hand.state["bringing_in"]:
            return f"bring in {chips}{all_in}"
        return f"call {chips}{all_in}" if chips else "check"
    assert action == RAISE, action
    if table["street_bet_chips"] == 0:
        return f"bet {chips}{all_in}"
    verb = "complete" if table["street"] == 3 and table["n_bets"] == 0 else "raise"
    return f"{verb} to {me['raise_to_chips']}{all_in}"


def _ending(hand: Hand, game: Game, names: Sequence[str], padded: Sequence[str]) -> Iterator[str]:
    yield "showdown" if hand.show_order else "all others folded"
    for seat in hand.show_order:
        told = "mucks"
        if seat in hand.shown:
            low = int(hand.state["low"][seat])
            cards = cards_text(int(card) for card in hand.me(seat)["cards"] if card != NO_CARD)
            told = f"{cards}: {game.low_text(low)}, {game.low_class(low)}"
        yield f"  seat {seat} {padded[seat]}  {told}"
    if hand.state["uncalled_chips"]:
        yield f"  uncalled {hand.state['uncalled_chips']} back to seat {hand.state['uncalled_seat']}"
    for number, pot in enumerate(hand.pots):
        which = "main pot" if number == 0 and len(hand.pots) > 1 else "pot" if number == 0 else f"side pot {number}"
        rake = f" (rake {pot.rake_chips})" if pot.rake_chips else ""
        yield f"  {which} {pot.chips}{rake} to {' and '.join(f'seat {seat} {names[seat]}' for seat in pot.winners)}"
    yield "result: " + ", ".join(f"{name} {net:+}" for name, net in zip(names, hand.net, strict=True))
