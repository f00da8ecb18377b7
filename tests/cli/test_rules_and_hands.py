"""Proves the commands about rules and single hands: presets with sources, lows, and a hand told card by card."""

import json

import pytest

from tests.cli.conftest import call


def test_rules_show_names_value_and_source_of_every_parameter():
    answer = call("rules", "show", "wsop", "--json")
    rules = json.loads(answer.out)["rules"]
    assert len(rules) == 12
    assert rules["max_bets"] == {
        "value": 5,
        "source": "WSOP 2024 tournament 100b, live action 219: a bet and four raises",
        "allowed": "1 to 126, null: no cap",
    }
    assert rules["heads_up_cap"]["value"] == "uncapped_if_round_starts_heads_up"
    event = json.loads(call("rules", "show", "wsop", "--json", "--event").out)["rules"]
    assert event["heads_up_cap"]["value"] == "uncapped_when_event_heads_up"
    table = call("rules", "show", "tda").out.splitlines()
    assert table[0].split() == ["parameter", "value", "source", "else"]
    assert any(line.startswith("short_all_in ") and "half_bet" in line and "TDA 47-B" in line for line in table)


def test_rules_diff():
    differences = json.loads(call("rules", "diff", "pokerstars", "wsop", "--json").out)["differences"]
    assert differences["tied_low_opener"] == {"pokerstars": "high_suit", "wsop": "seat_order"}
    assert set(differences) == {
        "max_bets", "heads_up_cap", "tied_low_opener", "displaced_bring_in", "deck_exhaustion", "checked_showdown",
    }  # fmt: skip
    assert call("rules", "diff", "tda", "tda").out == "tda and tda do not differ\n"
    assert call("rules", "show", "wsob").error == (
        "razzsim rules show: Invalid value: wsob is not a preset (did you mean wsop?); presets: pokerstars, wsop, tda"
    )


@pytest.mark.parametrize(
    "form", [("AhAcAdKsQhKdQs",), ("Ah", "Ac", "Ad", "Ks", "Qh", "Kd", "Qs"), ("Ah Ac Ad Ks Qh Kd Qs",)]
)
def test_low_accepts_packed_and_spaced_forms(form):
    hands = json.loads(call("low", *form, "--json").out)["hands"]
    assert [(hand["low"], hand["class"], hand["best five"]) for hand in hands] == [
        ("Q-Q-A-A-K", "two pair", "Ah Ac Ks Qh Qs")
    ]


def test_low_ranks_several_and_knows_both_games():
    """F1: 66557 beats 88449; F6: A-5-4-3-2 is the best low, and in deuce-to-seven an ace high."""
    lines = call("low", "4d4c8d8c9d9c9h", "5d5c6d6c7d7c7h", "5s5h6s6h7s").out.splitlines()
    assert [line.split()[0] for line in lines[1:]] == ["1", "1", "3"]
    assert "8-8-4-4-9" in lines[3]
    wheel = ("low", "Ah2c3d4s5h", "--json")
    assert json.loads(call(*wheel).out)["hands"][0]["low"] == "5-4-3-2-A"
    deuce = json.loads(call(*wheel, "--game", "deuce_to_seven_razz").out)["hands"][0]
    assert (deuce["low"], deuce["class"]) == ("A-5-4-3-2", "unpaired")


@pytest.mark.parametrize(
    ("cards", "said"),
    [
        (["Ah2c3d1s5h"], "'1s' is not a card: a rank of A23456789TJQK and a suit of cdhs, such as As or Td"),
        (["Ah2c3dAh5h"], "'Ah2c3dAh5h' has the same card twice"),
        (["Ah2c3d4s5h", "Ah2d3h4c6s"], "Ah in more than one hand: there is one of each card"),
        (["Ah2c3d"], "'Ah2c3d' has 3 cards; a hand has 5 to 7"),
        (["Ah2c3d4s5h", "--game", "holdem"], "holdem is not a game; games: razz, deuce_to_seven_razz"),
    ],
)
def test_low_refuses(cards, said):
    answer = call("low", *cards)
    assert answer.code == 2
    assert answer.error == f"razzsim low: Invalid value: {said}"


SCRIPTED = (
    "hand",
    "play",
    "station",
    "station",
    "--cards",
    "0:Ah2c3d4s5h9c9d",
    "--cards",
    "1:KsQdJh",
    "--actions",
    "crcf",
)


def test_hand_play_tells_a_scripted_hand():
    """Seat 1 brings in with the jack; seat 0 completes, opens fourth with the lower board and folds there for free."""
    answer = call(*SCRIPTED)
    assert (answer.code, answer.err) == (0, "")
    lines = answer.out.splitlines()
    assert lines[0] == "deal 0 of seed 1, razz, pokerstars rules, limits 3/5/20/40"
    assert lines[1] == "third street: pot 6"
    told = [line.split("  ")[2:] for line in lines if "[" in line]
    assert [[word.strip() for word in line if word] for line in told] == [
        ["bring in 5", "[bring in 5, complete to 20]"],
        ["complete to 20", "[fold, call 5, complete to 20]"],
        ["call 15", "[fold, call 15, raise to 40]"],
        ["fold", "[fold, check, bet 20]"],
    ]
    assert lines[-1] == "result: station -23, station +23"


def test_hand_play_is_the_same_every_time_and_runs_to_a_showdown():
    words = ("hand", "play", "station", "station", "loose", "--seed", "5", "--deal", "3", "--stacks", "60,200,90")
    one, two = call(*words), call(*words)
    assert one == two
    assert (one.code, "\nshowdown\n" in one.out, "??" in one.out) == (0, True, False)
    assert "result: " in one.out.splitlines()[-1]
    assert sum(int(word) for word in one.out.splitlines()[-1].replace(",", "").split() if word[0] in "+-") == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["tight"], "1 strategies; a table has 2 to 8 seats, one strategy each"),
        (["tight", "lose"], "lose is not allowed: a path ending in .py or .yaml, or a shipped strategy: "),
        (["tight", "loose", "--actions", "f"], "for --actions: seat "),
        (
            ["tight", "loose", "--actions", "x"],
            "for --actions: x is not allowed: f (fold), c (check, call, ",
        ),
        (
            ["tight", "loose", "--limits", "1/9/4/8"],
            "for --limits: 1/9/4/8 is not allowed: ante 0 or more, ",
        ),
        (
            ["tight", "loose", "--stacks", "1,2,3"],
            "for --stacks: 1,2,3 is not allowed: one number, or one ",
        ),
        (["tight", "loose", "--cards", "0:AhAh"], "for --cards: 'AhAh' has the same card twice"),
        (["tight", "loose", "--rules", "home"], "for --rules: home is not allowed: a preset: pokerstars, wsop, tda"),
    ],
)
def test_hand_play_refuses(words, said):
    answer = call("hand", "play", *words)
    assert answer.code == 2
    assert said in answer.err
    assert answer.err.count("\n") == 1
