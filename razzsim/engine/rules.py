"""The parameters of the rules, as data: names, allowed values, presets, and how they become the kernels' record.

Every parameter is an int64 field of `state.RULES_DTYPE`; a word is stored as its place in `CHOICES`.
Rule ids (B11, P3, ...) are those of the specification the tests are named after.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeGuard

if TYPE_CHECKING:  # an experiment is checked without NumPy
    import numpy as np

NO_CAP = 127
"""max_bets of a round without a cap."""

CHOICES: dict[str, tuple[str, ...]] = {
    "heads_up_cap": ("capped", "uncapped_if_round_starts_heads_up", "uncapped_when_event_heads_up"),
    "tied_low_opener": ("seat_order", "high_suit"),
    "displaced_bring_in": ("forced", "may_fold"),
    "short_bring_in": ("full", "posted"),
    "short_all_in": ("half_bet", "full_on_top"),
    "short_all_in_counts_to_cap": ("half", "none", "all"),
    "odd_chip": ("high_card_by_suit", "low_card_by_suit", "seat_order"),
    "deck_exhaustion": ("community_card", "wsop_stub"),
    "checked_showdown": ("first_seat", "low_hand", "opener"),
    "dealer": ("fixed", "rotates"),
}
"""Allowed words of each parameter that is a word, in the order of their codes."""

CAPPED, UNCAPPED_ROUND, UNCAPPED_EVENT = range(3)
SEAT_ORDER_OPENS, HIGH_SUIT_OPENS = range(2)
FORCED, MAY_FOLD = range(2)
FULL, POSTED = range(2)
HALF_BET, FULL_ON_TOP = range(2)
HALF_COUNTS, NONE_COUNTS, ALL_COUNTS = range(3)
HIGH_CARD_ODD_CHIP, LOW_CARD_ODD_CHIP, SEAT_ORDER_ODD_CHIP = range(3)
COMMUNITY_CARD, WSOP_STUB = range(2)
FIRST_SEAT_SHOWS, LOW_HAND_SHOWS, OPENER_SHOWS = range(3)
DEALER_FIXED, DEALER_ROTATES = range(2)

_MAX_CHIPS = 1 << 31
RAKE_FIELDS = ("take", "per", "cap", "from_street")

Value = int | str | dict[str, int] | None


@dataclass(frozen=True)
class Setting:
    """A preset's value of one parameter and the authority for it; in_event where tournaments differ."""

    value: Value
    source: str
    in_event: Value = None

    def at(self, *, event: bool) -> Value:
        """The value in an event or in a cash game."""
        return self.in_event if event and self.in_event is not None else self.value


_ASSUMED = "assumed: no evidence found"

PRESETS: dict[str, dict[str, Setting]] = {
    "pokerstars": {
        "max_bets": Setting(4, "real hands"),
        "heads_up_cap": Setting("capped", "a real seventh street that began heads-up was capped"),
        "tied_low_opener": Setting("high_suit", "3 of 3 real ties"),
        "displaced_bring_in": Setting("forced", "the site's rules of Razz"),
        "short_bring_in": Setting("full", _ASSUMED),
        "short_all_in": Setting("half_bet", _ASSUMED),
        "short_all_in_counts_to_cap": Setting("half", _ASSUMED),
        "odd_chip": Setting("high_card_by_suit", _ASSUMED),
        "deck_exhaustion": Setting("community_card", "the site's rules of Razz"),
        "checked_showdown": Setting("first_seat", "11 of 11 real hands"),
        "dealer": Setting("fixed", "the deal starts at the first seat"),
        "rake": Setting(None, "none unless an experiment sets it"),
    },
    "wsop": {
        "max_bets": Setting(5, "WSOP 2024 tournament 100b, live action 219: a bet and four raises"),
        "heads_up_cap": Setting(
            "uncapped_if_round_starts_heads_up",
            "live action 126-127; events: tournament 100b",
            in_event="uncapped_when_event_heads_up",
        ),
        "tied_low_opener": Setting("seat_order", "live action 235"),
        "displaced_bring_in": Setting("may_fold", _ASSUMED),
        "short_bring_in": Setting("full", "live action 217"),
        "short_all_in": Setting("half_bet", "live action 129"),
        "short_all_in_counts_to_cap": Setting("half", "live action 129"),
        "odd_chip": Setting("high_card_by_suit", "tournament 73"),
        "deck_exhaustion": Setting("wsop_stub", "live action 228"),
        "checked_showdown": Setting("opener", "tournament 72"),
        "dealer": Setting("fixed", "the house deals"),
        "rake": Setting(None, "none unless an experiment sets it"),
    },
    "tda": {
        "max_bets": Setting(5, "assumed: the house sets the limit"),
        "heads_up_cap": Setting("uncapped_when_event_heads_up", "TDA 2024"),
        "tied_low_opener": Setting("high_suit", "TDA RP-10-D"),
        "displaced_bring_in": Setting("may_fold", "TDA RP-10-E"),
        "short_bring_in": Setting("full", "TDA RP-10"),
        "short_all_in": Setting("half_bet", "TDA 47-B"),
        "short_all_in_counts_to_cap": Setting("half", _ASSUMED),
        "odd_chip": Setting("high_card_by_suit", "TDA 20-B"),
        "deck_exhaustion": Setting("wsop_stub", "TDA RP-10-H"),
        "checked_showdown": Setting("opener", "TDA 17-A"),
        "dealer": Setting("fixed", "the house deals"),
        "rake": Setting(None, "none unless an experiment sets it"),
    },
}


def rules_of(preset: str, changes: Mapping[str, object] | None = None, *, event: bool = False) -> dict[str, object]:
    """The preset's parameters, in a tournament event or a cash game, with some set beside it.

    Raises KeyError for an unknown preset and ValueError (parameter, value, what is allowed) for the rest.
    """
    rules: dict[str, object] = {name: setting.at(event=event) for name, setting in PRESETS[preset].items()}
    for name, value in (changes or {}).items():
        if problem := parameter_problem(name, value):
            raise ValueError(f"{name}: {value!r} is not allowed: {problem}")
        rules[name] = value
    return rules


def parameter_problem(name: str, value: object) -> str | None:
    """What is wrong with a parameter's value, in words that name what is allowed; None when it is fine."""
    if name == "max_bets":
        fine = value is None or (_is_whole(value) and 1 <= value < NO_CAP)
        return None if fine else f"a whole number from 1 to {NO_CAP - 1}, or null for no cap"
    if name == "rake":
        return None if value is None else _rake_problem(value)
    if name in CHOICES:
        return None if value in CHOICES[name] else "one of " + ", ".join(CHOICES[name])
    return "no such parameter; they are max_bets, rake, " + ", ".join(CHOICES)


def _rake_problem(value: object) -> str | None:
    wanted = "null or a mapping of take, per, cap (whole chips) and from_street (3 to 7)"
    if not isinstance(value, Mapping) or set(value) != set(RAKE_FIELDS) or not all(map(_is_whole, value.values())):
        return wanted
    sane = value["take"] >= 0 and 0 < value["per"] < _MAX_CHIPS and 0 <= value["cap"] < _MAX_CHIPS
    sane = sane and 3 <= value["from_street"] <= 7
    return None if sane and value["take"] <= value["per"] else wanted + ", with 0 <= take <= per"


def _is_whole(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def rules_record(rules: Mapping[str, object]) -> "np.ndarray":
    """A complete set of parameters as RULES_DTYPE[1], the form the kernels take."""
    import numpy as np

    from razzsim.engine.state import RULES_DTYPE

    record = np.zeros(1, RULES_DTYPE)
    cap = rules["max_bets"]
    record["max_bets"] = NO_CAP if cap is None else cap
    for name, words in CHOICES.items():
        record[name] = words.index(str(rules[name]))
    rake = rules["rake"] or {"take": 0, "per": 1, "cap": 0, "from_street": 3}
    assert isinstance(rake, Mapping)
    for name in RAKE_FIELDS:
        record[f"rake_{name}"] = rake[name]
    return record
