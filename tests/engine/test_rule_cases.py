"""The table of rule cases (tests/data/rule_cases.yaml) holds on the fast engine and on the reference.

Authority: the specification; each row's expectations were written from its text by hand. The last tests prove the
table complete: every rule, preset and parameter value has rows, and for any two values of a parameter some row
holds under the one and fails under the other.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
import yaml

from razzsim.engine.cards import NO_CARD, cards_text
from razzsim.engine.hand import Hand, IllegalAction
from razzsim.engine.rules import CHOICES, PRESETS, rules_of
from tests.engine.both import Limits, act, both
from tests.engine.stacked import ACTIONS, DEEP, LIMITS, UPS, boards, deck, offer
from tests.invariants import check_hand
from tests.reference.hand import Hand as ReferenceHand

FILE = Path(__file__).parent.parent / "data" / "rule_cases.yaml"
CALL = 1
Case = Mapping[str, Any]

RANKED = ("Kc Kd 5c 4s 3h 2d Ac", "Kh Ks 6c 4c 3s 2h Ad", "Qc Qd 7c 4d 3c 2s Ah", "Qh Qs 8c 4h 3d 2c As")
"""Seat 0 has the best low and the lowest board, then seat 1, and so on; the last seat brings in."""
MIXED = ("Ac 2d 3h 4s 5c Kc Kd", "Ad 2h 3s 4c 6c Kh Ks", "Ah 2s 3c 4d 7c Qc Qd", "As 2c 3d 4h 8c Qh Qs")
"""Best low first as well; seat 1 brings in, and seat 2 shows the lowest hand on sixth."""
SEVENS = ("7s 2c 3c 4c 5c Kc Kd", "7h 2d 3d 4d 5d Kh Ks", "7d 2h 3h 4h 5h Qh Qs")
"""Three equal lows."""
FOLDS = "Jc Jd Js Jh Td Th Tc"
"""Brings in and folds."""
EXHAUSTION = {"normal": "N", "community": "C", "scramble": "S", "community_scramble": "Cs"}


def named_cards(words: str, n: int) -> list[str]:
    """A named deck of n seats: `ranked`, `MIXED`, `SEVENS 210` (in that order), `COMMUNITY Kc` (seat 1 holds Kc)."""
    name, *detail = words.split()
    if name == "SEVENS":
        return [*(SEVENS[int(i)] for i in (detail or ["012"])[0]), FOLDS][:n]
    if name == "COMMUNITY":
        return ["-- -- -- --", f"2c 3c 4c 5c {detail[0]} Kd", "2d 3d 4d 5d Kh Ks", *["-- -- --"] * 5]
    return list({"ranked": RANKED, "MIXED": MIXED}[name][:n])


def cards_of(case: Case, n: int) -> list[str]:
    """The cards of the seats, as texts for `deck`."""
    if "ups" in case:
        return boards(*case["ups"])
    cards = case.get("cards", boards(*UPS[:n]))
    if isinstance(cards, str):
        return named_cards(cards, n)
    return [FOLDS if text == "FOLDS" else text for text in cards]


def parameters(case: Case, **changes: object) -> dict[str, object]:
    """The row's complete set of parameters, with some changed."""
    own = {**case.get("rules", {}), **changes}
    return rules_of(case.get("preset", "pokerstars"), own, event=case.get("event", False))


def new(case: Case, rules: Mapping[str, object]) -> tuple[Hand, ReferenceHand]:
    a, b, c, d = map(int, case["limits"].split()) if "limits" in case else LIMITS
    limits: Limits = (a, b, c, d)
    words = case["stacks"].split() if "stacks" in case else ["D"] * case["seats"]
    before = limits[0] + limits[1] if "from" in case else 0  # `stacks` are those of that street
    stacks = [DEEP if word == "D" else int(word) + before for word in words]
    slots = deck(cards_of(case, len(stacks)), case.get("spare", ""))
    button = case.get("button", 0) if rules["dealer"] == "rotates" else -1
    words_of = {"game": case.get("game", "razz"), "event_heads_up": case.get("heads_up", False)}
    return both(rules, limits, stacks, slots, button=button, **words_of)


def walk(case: Case, rules: Mapping[str, object]) -> tuple[Hand, ReferenceHand]:
    """Both engines at the moment the row speaks of."""
    fast, slow = new(case, rules)
    passive(fast, slow, case.get("from", 3))
    for letter in case.get("actions", "").split():
        act(fast, slow, ACTIONS[letter])
        assert fast.actor == slow.actor
    passive(fast, slow, case.get("until", 3))
    if case.get("settle"):
        passive(fast, slow, 8)
        fast.settle()
    check_hand(fast, slow.initial_stacks)
    return fast, slow


def passive(fast: Hand, slow: ReferenceHand, until_street: int) -> None:
    """Check and call until the street begins or the hand is over."""
    while slow.actor is not None and slow.street < until_street:
        act(fast, slow, CALL)


def seats_text(seats: Any) -> str:
    return " ".join(str(seat) for seat in seats) or "none"


def fast_facts(hand: Hand) -> dict[str, Any]:
    """What a row can expect, read from the fast engine."""
    table, state = hand.table, hand.state
    actor, legal, to_call, raise_to = offer(hand)
    shared, n = int(table["community"]), int(table["n_seats"])
    return {
        "offer": f"{actor} {legal} {to_call} {raise_to}",
        "actor": actor,
        "legal": legal,
        "to_call": to_call,
        "raise_to": raise_to,
        **{name: int(table[name]) for name in ("street", "n_bets", "opener")},
        "bring_in": int(table["bring_in_seat"]),
        "wager": int(table["street_bet_chips"]),
        "pot": int(table["pot_chips"]),
        "over": hand.is_over,
        "pots": [f"{p.chips} {''.join(map(str, p.seats))} {''.join(map(str, p.winners))}" for p in hand.pots],
        "net": seats_text(hand.net),
        "uncalled": f"{state['uncalled_seat']} {state['uncalled_chips']}" if state["uncalled_chips"] else "none",
        "rake": seats_text(p.rake_chips for p in hand.pots),
        "show_order": seats_text(hand.show_order),
        "shown": seats_text(sorted(hand.shown)) if hand.is_over else "none",
        "exhaustion": shared != NO_CARD,
        "community": "none" if shared == NO_CARD else cards_text([shared]),
        "held": {seat: cards_text(hand.me(seat)["cards"][: hand.me(seat)["n_cards"]].tolist()) for seat in range(n)},
    }


def slow_facts(hand: ReferenceHand) -> dict[str, Any]:
    """The same, read from the reference."""
    legal = "".join(letter for letter, action in ACTIONS.items() if action in hand.legal())
    return {
        "offer": f"{hand.actor} {legal} {hand.to_call()} {hand.raise_to()}",
        "actor": hand.actor,
        "legal": legal,
        "to_call": hand.to_call(),
        "raise_to": hand.raise_to(),
        "street": hand.street,
        "n_bets": hand.n_bets,
        "opener": hand.opener,
        "bring_in": hand.bring_in_seat,
        "wager": hand.wager,
        "pot": sum(hand.hand_chips),
        "over": hand.actor is None,
        "pots": [f"{p.amount} {''.join(map(str, p.eligible))} {''.join(map(str, p.winners))}" for p in hand.pots],
        "net": seats_text(hand.net),
        "uncalled": seats_text(hand.uncalled or ()),
        "rake": seats_text(p.rake for p in hand.pots),
        "show_order": seats_text(hand.showdown_order),
        "shown": seats_text(sorted(hand.shown)),
        "exhaustion": EXHAUSTION[hand.exhaustion],
        "community": "none" if hand.community is None else cards_text([hand.community]),
        "held": {seat: cards_text(reference_cards(hand, seat)) for seat in range(hand.n)},
    }


def reference_cards(hand: ReferenceHand, seat: int) -> list[int]:
    """A seat's cards in deal order, the community card as its seventh."""
    shared = [hand.community] if hand.community is not None and not hand.folded[seat] else []
    return hand.down[seat][:2] + hand.up[seat] + hand.down[seat][2:] + shared


def differences(case: Case, facts: Mapping[str, Any]) -> list[str]:
    """Expectations of the row that do not hold, in words."""
    wrong = []
    for name, value in case["expect"].items():
        if name == "refused":
            continue
        found, expected = facts[name], value
        if name == "held":
            found = {seat: with_blanks(found[seat], text) for seat, text in expected.items()}
        elif name == "exhaustion" and isinstance(found, bool):  # the fast engine only knows whether a card is shared
            expected = value.startswith("C")
        elif isinstance(found, str):
            expected = str(value)
        if found != expected:
            wrong.append(f"{name}: {found!r}, expected {expected!r}")
    return wrong


def with_blanks(found: str, pattern: str) -> str:
    """found, with `--` where the pattern has it."""
    blanks = pattern.split()
    cards = found.split()
    return " ".join("--" if blanks[i : i + 1] == ["--"] else card for i, card in enumerate(cards))


def cases() -> Iterator[Case]:
    """The rows; one with `folds_on` becomes a case for each of its streets."""
    for row in yaml.safe_load(FILE.read_text(encoding="utf-8")):
        if "folds_on" not in row:
            yield row
            continue
        folds = " f" * (row["seats"] - row["live"])
        kinds = row["expect"]["exhaustion"].split()
        for street, kind in zip(row["folds_on"].split(), kinds, strict=True):
            here = {"id": f"{row['id']}-street-{street}", "actions": "c" + folds, "expect": {"exhaustion": kind}}
            yield {**row, **here, **({} if street == "3" else {"from": int(street)})}


CASES = list(cases())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_case(case: Case) -> None:
    fast, slow = walk(case, parameters(case))
    assert differences(case, slow_facts(slow)) == [], "the reference engine"
    assert differences(case, fast_facts(fast)) == [], "the fast engine"
    for letter in case["expect"].get("refused", "").split():
        with pytest.raises(IllegalAction):
            fast.apply(ACTIONS[letter])
        with pytest.raises(ValueError, match="is not in"):
            slow.apply(ACTIONS[letter])


# ---- the table is complete ----------------------------------------------------------------------

RULES = (
    *(f"B{i}" for i in range(13)),
    *(f"P{i}" for i in range(1, 9)),
    *(f"X{i}" for i in range(5)),
    *("D1", "D2", "D3", "G1"),
    *("F8", "F10", "F14", "F15", "F20", "F22", "F26"),
)
MOST_ROWS = {"B11": 20, "P2": 9, "P3": 35, "P4": 12, "P7": 15, "X1": 40, "X2": 40}
VALUES: dict[str, tuple[object, ...]] = {"max_bets": (3, 4, 5, None), **CHOICES}


@cache
def case_rules(index: int) -> dict[str, object]:
    return parameters(CASES[index])


def test_every_rule_has_rows() -> None:
    found = Counter(case["rule"] for case in CASES)
    assert set(found) == set(RULES)
    assert not {rule: n for rule, n in found.items() if n < MOST_ROWS.get(rule, 2)}
    assert len({case["id"] for case in CASES}) == len(CASES) >= 350


def test_every_parameter_value_and_preset_has_rows() -> None:
    """A value counts where the row names it, not where a preset brings it."""
    named = [case.get("rules", {}) for case in CASES]
    for name, values in VALUES.items():
        for value in values:
            assert sum(rules.get(name, "") == value for rules in named if name in rules) >= 2, (name, value)
    rakes = [rules["rake"] for rules in named if rules.get("rake")]
    assert {bool(rake["cap"] < 100) for rake in rakes} == {True, False}
    assert {rake["from_street"] for rake in rakes} >= {3, 4, 7}
    assert any("rake" in rules and rules["rake"] is None for rules in named)
    kinds = Counter(
        (case["preset"], case.get("event", False), case.get("heads_up", False)) for case in CASES if "preset" in case
    )
    for preset in PRESETS:
        assert kinds[preset, False, False] >= 7, preset
        assert kinds[preset, True, True] >= 1, preset


def fails(index: int, name: str, value: object) -> bool:
    """Whether the row fails with another value of one parameter (an action that is refused then fails it too)."""
    case = CASES[index]
    try:
        fast, _ = walk(case, parameters(case, **{name: value}))
    except (IllegalAction, ValueError):
        return True
    refused = [ACTIONS[letter] for letter in case["expect"].get("refused", "").split()]
    return bool(differences(case, fast_facts(fast))) or any(action in fast.legal for action in refused)


@pytest.mark.parametrize("name", [*VALUES, "rake"])
def test_the_table_tells_any_two_values_apart(name: str) -> None:
    """For each ordered pair of values some row of the first fails under the second."""
    rows = [i for i, case in enumerate(CASES) if name in case.get("rules", {})]
    if name == "rake":
        raked = [i for i in rows if CASES[i]["rules"]["rake"]]
        assert sum(fails(i, name, None) for i in raked) >= 3
        for field, other in (("take", 7), ("per", 7), ("cap", 1), ("from_street", 3)):
            assert any(fails(i, name, {**CASES[i]["rules"]["rake"], field: other}) for i in raked), field
        return
    for one, other in permutations(VALUES[name], 2):
        mine = [i for i in rows if case_rules(i)[name] == one]
        assert any(fails(i, name, other) for i in mine), f"no row of {one} fails under {other}"
