"""Values of the rules parameters and the three presets (the table that ends rules/razz.md).

wsop and tda are given as cash and event variants where they differ: `wsop` leaves the cap off when
a round starts heads-up, `wsop_event` when two entrants are left in the event (B11).
"""

from collections.abc import Mapping
from typing import Any

_COMMON: dict[str, Any] = {
    "max_bets": 5,
    "heads_up_cap": "uncapped_when_event_heads_up",
    "displaced_bring_in": "may_fold",
    "short_bring_in": "full",
    "short_all_in": "half_bet",
    "short_all_in_counts_to_cap": "half",
    "odd_chip": "high_card_by_suit",
    "deck_exhaustion": "wsop_stub",
    "checked_showdown": "opener",
    "rake": None,
}
PRESETS: dict[str, dict[str, Any]] = {
    "pokerstars": {
        **_COMMON,
        "max_bets": 4,
        "heads_up_cap": "capped",
        "tied_low_opener": "high_suit",
        "displaced_bring_in": "forced",
        "deck_exhaustion": "community_card",
        "checked_showdown": "first_seat",
    },
    "wsop": {
        **_COMMON,
        "heads_up_cap": "uncapped_if_round_starts_heads_up",
        "tied_low_opener": "seat_order",
    },
    "wsop_event": {**_COMMON, "tied_low_opener": "seat_order"},
    "tda": {**_COMMON, "tied_low_opener": "high_suit"},
}

CHOICES = {
    "heads_up_cap": (
        "capped",
        "uncapped_if_round_starts_heads_up",
        "uncapped_when_event_heads_up",
    ),
    "tied_low_opener": ("seat_order", "high_suit"),
    "displaced_bring_in": ("forced", "may_fold"),
    "short_bring_in": ("full", "posted"),
    "short_all_in": ("half_bet", "full_on_top"),
    "short_all_in_counts_to_cap": ("half", "none", "all"),
    "odd_chip": ("high_card_by_suit", "low_card_by_suit", "seat_order"),
    "deck_exhaustion": ("community_card", "wsop_stub"),
    "checked_showdown": ("first_seat", "low_hand", "opener"),
}


def check_rules(rules: Mapping[str, Any]) -> None:
    """ValueError if a parameter is missing or has a value the rules do not name."""
    for key, allowed in CHOICES.items():
        if rules.get(key) not in allowed:
            raise ValueError(f"{key}: {rules.get(key)!r} is not one of {allowed}")
    if "max_bets" not in rules:
        raise ValueError("max_bets is missing")
    if rules["max_bets"] is not None and rules["max_bets"] < 1:
        raise ValueError("max_bets must be at least 1, or None")
