"""G1: the two real deuce-to-seven Razz hands, replayed action by action; the one raise that departs is named."""

from razzsim.engine.games import GAMES
from razzsim.engine.hand import Hand
from razzsim.engine.rules import rules_of, rules_record
from razzsim.engine.state import table_record
from tests.engine import replay
from tests.engine.replay import CALL, RAISE, Record
from tests.invariants import check_hand

GAME = GAMES["deuce_to_seven_razz"]
HANDS = {record["id"]: record for record in replay.read_hands() if record["game"] == "2-7 razz"}


def new_hand(record: Record, rake: dict[str, int] | None = None) -> Hand:
    limits = (record["ante"], record["bring_in"], record["small_bet"], record["big_bet"])
    rules = rules_record(rules_of("pokerstars", {"rake": rake}))
    return Hand(rules, table_record(*limits, n_seats=len(record["seats"])), replay.stacks(record), game=GAME)


def deal_due(hand: Hand, record: Record) -> None:
    while hand.street_is_over:
        cards = replay.cards_of(record, max(3, int(hand.table["street"]) + 1))
        live = int(hand.table["live_mask"])
        hand.deal({seat: codes for seat, codes in cards.items() if live >> seat & 1})


def test_KingsClub_3703449_all_in_with_a_side_pot() -> None:
    """A capped third street with an all-in, a side pot the site did not print, winners named (F20)."""
    record = HANDS["kings-3703449"]
    hand = new_hand(record)
    deal_due(hand, record)
    for step in replay.steps(record):
        assert (hand.actor, hand.table["street"]) == (step.seat, step.street)
        me = hand.me(step.seat)
        assert step.action in hand.legal
        if step.action == CALL:
            assert me["to_call_chips"] == step.amount
        if step.action == RAISE:
            assert me["raise_to_chips"] == step.to
        hand.apply(step.action)
        assert (hand.table["stack_chips"][step.seat] == 0) == step.all_in
        check_hand(hand, replay.stacks(record))
        deal_due(hand, record)
    seats = replay.table_seats(record)
    hand.settle(winners=[[seats.index(6)], [seats.index(2)]])
    assert [(pot.chips, [seats[seat] for seat in pot.winners]) for pot in hand.pots] == [(561_325, [6]), (267_450, [2])]
    assert (hand.state["uncalled_chips"], seats[hand.state["uncalled_seat"]]) == (100_000, 2)
    assert hand.net == replay.recorded_net(record)


def test_KingsClub_40091899_second_bet_departs() -> None:
    """The ace owes the bring-in before the queen. Departure: the site's second bet on third is bring-in + small bet.

    By B4 it goes to two small bets, 4,400 instead of 3,858; two seats pay 542 more, and nothing else differs.
    """
    record = HANDS["kings-40091899"]
    hand = new_hand(record, rake={"take": 500, "per": 42_980, "cap": 500, "from_street": 3})
    deal_due(hand, record)
    more = 0
    for step in replay.steps(record):
        assert (hand.actor, hand.table["street"]) == (step.seat, step.street)
        me = hand.me(step.seat)
        if step.action == RAISE and step.to == record["bring_in"] + record["small_bet"]:
            more = 2 * record["small_bet"] - step.to
            assert me["raise_to_chips"] == step.to + more == 4_400
        elif step.action == RAISE:
            assert me["raise_to_chips"] == step.to
        elif step.action == CALL:
            assert me["to_call_chips"] == step.amount + (more if step.street == 3 else 0)
        hand.apply(step.action)
        check_hand(hand, replay.stacks(record))
        deal_due(hand, record)
    assert more == 542
    hand.settle()
    seats, recorded = replay.table_seats(record), replay.recorded_net(record)
    paid = {1: more, 6: -more}  # seat 1 wins what seat 6 paid more
    assert hand.net == [net + paid.get(seat, 0) for seat, net in zip(seats, recorded, strict=True)]
