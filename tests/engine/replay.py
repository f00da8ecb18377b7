"""A recorded real hand as steps for the engine: seats renumbered clockwise from the dealer, money in the hand's units.

Format of the records (tests/data/razz_hands.jsonl): one JSON object a hand; `actions` in order, streets 0 (antes) to 7;
`cards[seat]`: `down` = first, second and seventh, `up` = third to sixth; hidden cards are missing.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from razzsim.engine.cards import NO_CARD, parse_card
from razzsim.engine.hand import Hand
from razzsim.engine.rules import rules_of, rules_record
from razzsim.engine.state import table_record

FOLD, CALL, RAISE = 0, 1, 2
ACTION_CODES = {"fold": FOLD, "check": CALL, "call": CALL, "bring_in": CALL} | dict.fromkeys(
    ("bet", "complete", "raise"), RAISE
)
HANDS_FILE = Path(__file__).parent.parent / "data" / "razz_hands.jsonl"

Record = Mapping[str, Any]


@dataclass(frozen=True)
class Parameters:
    """What a hand was played under, where it is not the pokerstars preset or not in the record."""

    changes: Mapping[str, object] = field(default_factory=dict)
    """Parameters beside the preset."""
    bring_in: int | None = None
    """The level's bring-in, when nobody posted it in full."""
    rake: Mapping[str, int] | None = None
    """The site's rule."""
    recorded_rake: int | None = None
    """Only the total is on record, no rule."""
    departures: tuple[str, ...] = ()
    """Names of what the site did or printed that the rules do not have."""


@dataclass(frozen=True)
class Step:
    """One recorded action, seat in engine numbers."""

    street: int
    seat: int
    action: int
    amount: int
    to: int
    all_in: bool


def read_hands() -> list[Record]:
    return [json.loads(line) for line in HANDS_FILE.read_text(encoding="utf-8").splitlines()]


def table_seats(record: Record) -> list[int]:
    """The site's seat numbers clockwise from the dealer's left; B12: the dealer posted the last ante."""
    seats = sorted(int(seat["seat"]) for seat in record["seats"])
    after_dealer = seats.index(ante_order(record)[-1]) + 1
    return seats[after_dealer:] + seats[:after_dealer]


def ante_order(record: Record) -> list[int]:
    """The site's seat numbers in the order their antes stand in the record."""
    return [int(a["seat"]) for a in record["actions"] if a["action"] == "post_ante"]


def stacks(record: Record) -> list[int]:
    """Starting stacks by engine seat."""
    by_seat = {int(seat["seat"]): int(seat["stack"]) for seat in record["seats"]}
    return [by_seat[seat] for seat in table_seats(record)]


def steps(record: Record) -> list[Step]:
    """The betting in order: no antes, no deals, no notes of the site."""
    number = {seat: i for i, seat in enumerate(table_seats(record))}
    return [
        Step(a["street"], number[a["seat"]], ACTION_CODES[a["action"]], a["amount"], a["to"], a["all_in"])
        for a in record["actions"]
        if a["action"] in ACTION_CODES
    ]


def notes(record: Record) -> set[str]:
    """Kinds of lines that are neither antes, deals nor betting."""
    return {a["action"] for a in record["actions"]} - set(ACTION_CODES) - {"post_ante", "deal"}


def dealt(record: Record, street: int) -> set[int]:
    """Engine seats the record names as dealt to on a street."""
    number = {seat: i for i, seat in enumerate(table_seats(record))}
    return {number[a["seat"]] for a in record["actions"] if a["action"] == "deal" and a["street"] == street}


def cards_of(record: Record, street: int) -> dict[int, list[int]]:
    """Engine seat -> codes it gets on a street, 255 for what stayed hidden."""
    found = {}
    for i, seat in enumerate(table_seats(record)):
        cards = record["cards"].get(str(seat), {"down": [], "up": []})
        down = [*map(parse_card, cards["down"]), NO_CARD, NO_CARD, NO_CARD][:3]
        up = [*map(parse_card, cards["up"]), NO_CARD, NO_CARD, NO_CARD, NO_CARD][:4]
        found[i] = [*down[:2], up[0]] if street == 3 else [down[2] if street == 7 else up[street - 3]]
    return found


def new_hand(record: Record, parameters: Parameters) -> Hand:
    """The hand with its antes posted."""
    rake = parameters.rake
    if parameters.recorded_rake is not None:  # a rule that takes just that from the one pot
        whole = record["pots"]["contributed"]
        rake = {"take": parameters.recorded_rake, "per": whole, "cap": parameters.recorded_rake, "from_street": 3}
    rules = rules_record(rules_of("pokerstars", {**parameters.changes, "rake": rake}))
    bring_in = parameters.bring_in or record["bring_in"]
    limits = (record["ante"], bring_in, record["small_bet"], record["big_bet"])
    return Hand(rules, table_record(*limits, n_seats=len(record["seats"])), stacks(record))


def by_engine_seat(record: Record, amounts: Mapping[int, int]) -> list[int]:
    """Amounts by the site's seat number -> list by engine seat."""
    return [amounts.get(seat, 0) for seat in table_seats(record)]


def recorded_net(record: Record) -> list[int]:
    """Chips won or lost by engine seat, from the record's own amounts alone."""
    net: dict[int, int] = {}
    for seat, chips in _money(record):
        net[seat] = net.get(seat, 0) + chips
    return by_engine_seat(record, net)


def _money(record: Record) -> Iterator[tuple[int, int]]:
    for a in record["actions"]:
        if a.get("amount"):
            yield a["seat"], -a["amount"]
    for line in (*record["uncalled"], *record["winners"]):
        yield line["seat"], line["amount"]
