"""Thirty real ace-to-five hands from five sites, replayed action by action: the engine plays as the sites did.

Authority: the recorded hands. `PLAYED_UNDER` names what each was played under; where a site did something the
rules do not have, the departure has a name there. Hidden cards stay hidden.
"""

from collections import Counter

import pytest

from razzsim.engine.cards import NO_CARD
from razzsim.engine.hand import Hand
from tests.engine import replay
from tests.engine.replay import CALL, RAISE, Parameters, Record
from tests.invariants import check_hand, live_seats

STARS_CENTS = {"take": 1, "per": 20, "cap": 10_000, "from_street": 3}
FULL_TILT_250_500 = {"take": 100, "per": 2000, "cap": 300, "from_street": 3}
WSOP = {"max_bets": 5, "tied_low_opener": "seat_order", "heads_up_cap": "uncapped_when_event_heads_up"}
ANTE_LINES = "ante lines are not clockwise"
NO_POST = "a bring-in is designated though P6 has stopped betting"

STARS_CASH = Parameters(rake=STARS_CENTS)
FULL_TILT = Parameters(rake=FULL_TILT_250_500, departures=(ANTE_LINES,))
FULL_TILT_IN_ORDER = Parameters(rake=FULL_TILT_250_500)

PLAYED_UNDER: dict[str, Parameters] = {
    **{f"stars-358{rest}": STARS_CASH for rest in ("74566077", "74590575", "74623967", "74664176", "74756552")},
    "stars-35874780027": STARS_CASH,
    **{f"stars-996322{rest}": Parameters() for rest in ("34066", "49227", "55544", "64504", "83654", "88552")},
    **{f"stars-996323{rest}": Parameters() for rest in ("07247", "17467", "65500")},
    "ftp-29705691274": FULL_TILT,
    "ftp-29705698182": FULL_TILT_IN_ORDER,
    "ftp-29705726470": FULL_TILT,
    "ftp-29705785966": FULL_TILT,
    "ftp-26190500040": Parameters(recorded_rake=2, departures=(ANTE_LINES,)),
    "ftp-28333847000": Parameters(bring_in=25),  # nobody posted it in full; any level above 9 plays the same
    "ftp-31349767778": Parameters(bring_in=12, departures=(NO_POST,)),
    "merge-43618199-14": Parameters(recorded_rake=39, departures=(ANTE_LINES,)),
    "merge-36487050-12": Parameters(),
    "merge-36487050-13": Parameters(),
    "kings-39969356": Parameters(recorded_rake=100),
    **{
        f"wsop2023-43-{rest}": Parameters(changes=WSOP)
        for rest in ("20_01_00_21", "21_01_02_14", "22_01_03_57", "83_03_48_33")
    },
}

RECORDS = replay.read_hands()
HANDS = {record["id"]: record for record in RECORDS if record["game"] == "razz"}


def test_which_hands() -> None:
    assert Counter(record["game"] for record in RECORDS) == {"razz": 30, "2-7 razz": 2}
    assert set(PLAYED_UNDER) == set(HANDS)
    assert len({record["site"] for record in RECORDS}) == 5
    assert sum(len(replay.steps(record)) for record in HANDS.values()) == 313


@pytest.mark.parametrize("name", HANDS)
def test_real_hand(name: str) -> None:
    record, parameters = HANDS[name], PLAYED_UNDER[name]
    hand = replay.new_hand(record, parameters)
    check_antes(hand, record, parameters)
    play_betting(hand, record)
    check_notes(hand, record, parameters)
    assert all_known(hand) or len(live_seats(hand)) == 1
    hand.settle()  # the evaluator decides, or nobody else is left
    check_hand(hand, replay.stacks(record))
    check_outcome(hand, record)


@pytest.mark.parametrize("name", HANDS)
def test_hidden_down_cards_and_named_winners(name: str) -> None:
    """Betting never needs a down card: the hand plays the same with all of them hidden, and pays whom it is told."""
    record, parameters = HANDS[name], PLAYED_UNDER[name]
    cards = {seat: {"down": [], "up": shown["up"]} for seat, shown in record["cards"].items()}
    hidden = {**record, "cards": cards}
    hand = replay.new_hand(hidden, parameters)
    play_betting(hand, hidden)
    hand.settle(winners=[[replay.table_seats(record).index(line["seat"]) for line in record["winners"]]])
    check_hand(hand, replay.stacks(record))
    check_outcome(hand, record)


def check_antes(hand: Hand, record: Record, parameters: Parameters) -> None:
    """Amounts of the antes, and B12: their order is clockwise, or the departure has a name."""
    antes = {a["seat"]: a["amount"] for a in record["actions"] if a["action"] == "post_ante"}
    n = len(record["seats"])
    assert hand.table["hand_chips"][:n].tolist() == replay.by_engine_seat(record, antes)
    assert (replay.ante_order(record) != replay.table_seats(record)) == (ANTE_LINES in parameters.departures)


def deal_due(hand: Hand, record: Record) -> None:
    """Deal streets until a seat must act; each goes to exactly the live seats (seventh: the hidden ones too)."""
    while hand.street_is_over:
        street = max(3, int(hand.table["street"]) + 1)
        named, live = replay.dealt(record, street), set(live_seats(hand))
        assert named == live if street < 7 else named <= live
        before = [int(hand.me(seat)["n_cards"]) for seat in range(len(record["seats"]))]
        hand.deal({seat: codes for seat, codes in replay.cards_of(record, street).items() if seat in live})
        after = [int(hand.me(seat)["n_cards"]) for seat in range(len(record["seats"]))]
        assert {seat for seat, (a, b) in enumerate(zip(before, after, strict=True)) if b > a} == live
        check_hand(hand, replay.stacks(record))


def play_betting(hand: Hand, record: Record) -> None:
    """Every action: who acts, that it is legal, what it costs and what it brings the seat's street total to."""
    deal_due(hand, record)
    for step in replay.steps(record):
        assert (hand.actor, hand.table["street"]) == (step.seat, step.street), step
        assert step.action in hand.legal, step
        me = hand.me(step.seat)
        if step.action == CALL:
            assert me["to_call_chips"] == step.amount, step
        if step.action == RAISE:
            assert me["raise_to_chips"] == step.to, step
        hand.apply(step.action)
        assert hand.table["street_chips"][step.seat] == step.to, step
        assert (hand.table["stack_chips"][step.seat] == 0) == step.all_in, step
        check_hand(hand, replay.stacks(record))
        deal_due(hand, record)
    assert hand.is_over


def check_notes(hand: Hand, record: Record, parameters: Parameters) -> None:
    """What sites print beside actions agrees: who owes the bring-in, that betting is capped."""
    notes = replay.notes(record)
    assert notes <= {"designated_bring_in", "capped"}
    if "capped" in notes:
        assert hand.table["n_bets"] == hand.table["max_bets"] == 4
    if "designated_bring_in" in notes:
        named = [a["seat"] for a in record["actions"] if a["action"] == "designated_bring_in"]
        owner = -1 if NO_POST in parameters.departures else replay.table_seats(record).index(named[0])
        assert hand.table["bring_in_seat"] == owner
    assert record["community"] is None
    assert hand.table["community"] == NO_CARD


def all_known(hand: Hand) -> bool:
    """Whether every card of every seat left is on record."""
    return all(NO_CARD not in hand.me(seat)["cards"][:7] for seat in live_seats(hand))


def check_outcome(hand: Hand, record: Record) -> None:
    """Uncalled chips, pots, rake, winners, nets and final stacks."""
    seats = replay.table_seats(record)
    uncalled = [(seats.index(line["seat"]), line["amount"]) for line in record["uncalled"]]
    state = hand.state
    assert uncalled == ([(state["uncalled_seat"], state["uncalled_chips"])] if state["uncalled_chips"] else [])
    pots, won = record["pots"], {line["seat"]: line["amount"] for line in record["winners"]}
    assert [pot.chips + pot.rake_chips for pot in hand.pots] == [pots["contributed"]], "one pot in all thirty"
    assert pots["total"] in (None, pots["contributed"])
    assert not pots["parts"]
    assert state["rake_chips"] == pots["contributed"] - sum(won.values())
    assert pots["rake"] in (None, state["rake_chips"])
    assert {seats[seat] for seat in hand.pots[0].winners} == set(won)
    assert hand.net == replay.recorded_net(record)
    if "final_stacks" in record:
        final = {int(seat): chips for seat, chips in record["final_stacks"].items()}
        assert hand.table["stack_chips"][: len(seats)].tolist() == replay.by_engine_seat(record, final)


SHOWDOWNS = [name for name, record in HANDS.items() if len(record["showdown"]) > 1]


@pytest.mark.parametrize("name", SHOWDOWNS)
def test_D1_D2_D3_real_showdowns(name: str) -> None:
    """Who shows first, in which order, and who shows at all, as the sites printed it."""
    record = HANDS[name]
    hand = replay.new_hand(record, PLAYED_UNDER[name])
    play_betting(hand, record)
    assert all_known(hand)
    hand.settle()
    seats = replay.table_seats(record)
    order = list(dict.fromkeys(line["seat"] for line in record["showdown"]))
    assert [seats[seat] for seat in hand.show_order] == order
    assert {seats[seat] for seat in hand.shown} == set(record["shown"])


def test_how_many_showdowns() -> None:
    assert len(SHOWDOWNS) == 11
