"""The fast engine against the reference engine, action by action, on random hands.

`python -m tests.differential --hands 100000 [--preset wsop] [--game deuce_to_seven_razz] [--event]` runs as many as
wanted; the suite runs a short one. The two were written apart from the same specification (the reference in plain
Python, without seeing the kernels).
"""

import argparse
import os
import random
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial

from razzsim.engine import rules as fast_rules
from razzsim.engine.games import GAMES
from razzsim.engine.hand import Hand, deck
from razzsim.engine.state import table_record
from tests import against_pokerkit
from tests.engine.stacked import equal_hands
from tests.invariants import check_hand
from tests.reference.hand import Hand as ReferenceHand

BLOCK = 1_000
"""Hands to a block of the command line, each with its own random numbers."""
LIMITS = [
    (3, 5, 20, 40),
    (0, 2, 4, 8),
    (1, 2, 4, 8),
    (40, 75, 250, 500),
    (5, 5, 5, 10),
    (15, 20, 20, 40),
    (5, 15, 20, 30),
]


def random_rules(rng: random.Random, preset: str | None, *, event: bool) -> dict[str, object]:
    """A preset's parameters with the dealer fixed or rotating, or each drawn on its own when preset is None."""
    if preset is not None:
        return {**fast_rules.rules_of(preset, event=event), "dealer": rng.choice(fast_rules.CHOICES["dealer"])}
    rules: dict[str, object] = {name: rng.choice(words) for name, words in fast_rules.CHOICES.items()}
    rules["max_bets"] = rng.choice([1, 3, 4, 5, None])
    rake = {
        "take": rng.choice([1, 5]),
        "per": rng.choice([20, 100]),
        "cap": rng.choice([3, 50]),
        "from_street": rng.choice([3, 4, 7]),
    }
    rules["rake"] = rng.choice([None, rake])
    return rules


def random_stacks(rng: random.Random, n: int, ante: int, bring_in: int, small: int, big: int) -> list[int]:
    """Mostly short stacks around the amounts that matter, some deep."""
    around = [ante, bring_in, ante + bring_in, small, small + ante, big, 2 * big, 5 * big]
    deep = ante + 6 * (2 * small + 3 * big)
    if rng.random() < 0.2:
        return [deep] * n
    return [max(1, rng.choice(around) + rng.randint(-3, small)) if rng.random() < 0.7 else deep for _ in range(n)]


def new_pair(
    rng: random.Random, preset: str | None, game: str, deal: int, *, event: bool
) -> tuple[Hand, ReferenceHand, str]:
    """The same random hand in both engines, and how to make it again. One in eight deals equal ranks to all: splits."""
    n = rng.randint(2, 8)
    ante, bring_in, small, big = rng.choice(LIMITS)
    rules = random_rules(rng, preset, event=event)
    stacks = random_stacks(rng, n, ante, bring_in, small, big)
    slots = equal_hands(rng, n) if n <= 4 and rng.random() < 0.3 else deck(seed=2026, deal=deal, domain=3)
    button = rng.randrange(n) if rules["dealer"] == "rotates" else -1
    event_heads_up = (event or preset is None) and rng.random() < 0.5
    table = table_record(ante, bring_in, small, big, n, button)
    fast = Hand(fast_rules.rules_record(rules), table, stacks, slots, GAMES[game])
    fast.state["event_heads_up"] = event_heads_up
    words = {**rules, "game": game, "event_heads_up": event_heads_up}
    slow = ReferenceHand(words, ante, bring_in, small, big, stacks, slots, button=button)
    return fast, slow, f"deal {deal}: {n} seats {(ante, bring_in, small, big)} stacks {stacks} button {button} {words}"


_CHECKED = 25
"""Every so many hands the invariants are checked too, at each decision."""


def deal_through(fast: Hand) -> None:
    """The reference deals by itself: deal until somebody must act or the hand is over."""
    while fast.street_is_over:
        fast.deal()


def compare_decision(fast: Hand, slow: ReferenceHand) -> None:
    """Both must ask the same seat the same question."""
    actor = slow.actor
    assert fast.actor == actor
    assert actor is not None
    me, table = fast.me(actor), fast.table
    asked = (table["street"], list(fast.legal), me["to_call_chips"], me["raise_to_chips"], table["n_bets"])
    assert asked == (slow.street, slow.legal(), slow.to_call(), slow.raise_to(), slow.n_bets)
    assert (table["opener"], table["bring_in_seat"]) == (slow.opener, slow.bring_in_seat)
    assert table["max_bets"] == (fast_rules.NO_CAP if slow.cap is None else slow.cap)
    n = int(table["n_seats"])
    assert table["stack_chips"][:n].tolist() == slow.stacks
    assert table["hand_chips"][:n].tolist() == slow.hand_chips
    n_up, up = table["n_up"].tolist(), table["up"].tolist()
    assert [up[seat][: n_up[seat]] for seat in range(n)] == slow.up


def compare_end(fast: Hand, slow: ReferenceHand) -> None:
    """Both must pay the same pots to the same seats, and show the same hands in the same order."""
    assert fast.is_over
    assert fast.net == list(slow.net)
    pots = [(pot.chips, pot.rake_chips, pot.seats, pot.winners) for pot in fast.pots]
    assert pots == [(pot.amount, pot.rake, pot.eligible, pot.winners) for pot in slow.pots]
    uncalled = (int(fast.state["uncalled_seat"]), int(fast.state["uncalled_chips"]))
    assert (uncalled if uncalled[1] else None) == slow.uncalled
    assert fast.state["rake_chips"] == slow.rake_total
    assert fast.show_order == slow.showdown_order
    assert fast.shown == set(slow.shown)
    community = int(fast.table["community"])
    assert (None if community == 255 else community) == slow.community


def play_both(rng: random.Random, preset: str | None, game: str, deal: int, *, folds: float, event: bool) -> int:
    """Play one random hand in both engines; returns its number of decisions. AssertionError when they differ."""
    fast, slow, description = new_pair(rng, preset, game, deal, event=event)
    actions: list[int] = []
    try:
        deal_through(fast)
        while slow.actor is not None:
            compare_decision(fast, slow)
            if deal % _CHECKED == 0:
                check_hand(fast, list(fast.state["start_chips"][: len(slow.stacks)]))
            legal = slow.legal()
            action = rng.choice([a for a in legal if a] if rng.random() > folds else legal)
            actions.append(action)
            fast.apply(action)
            slow.apply(action)
            deal_through(fast)
        fast.settle()
        compare_end(fast, slow)
    except AssertionError as error:
        raise AssertionError(f"{description}\nactions {actions}\n{error}") from error
    return len(actions)


def run(
    hands: int, seed: int, preset: str | None, game: str = "razz", *, event: bool = False, first_deal: int = 0
) -> int:
    """Compare many hands; returns the number of decisions compared."""
    rng = random.Random(f"{seed} {first_deal}")
    decisions = 0
    for deal in range(first_deal, first_deal + hands):
        decisions += play_both(rng, preset, game, deal, folds=rng.choice([0.1, 0.4, 1.0]), event=event)
    return decisions


def run_block(options: argparse.Namespace, first_deal: int) -> int:
    """One block of the hands asked for, in whatever process."""
    hands = min(BLOCK, options.hands - first_deal)
    return run(hands, options.seed, options.preset, options.game, event=options.event, first_deal=first_deal)


def main() -> None:
    """Command line of the differential run. The hands do not depend on the number of processes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hands", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--preset",
        choices=sorted(fast_rules.PRESETS),
        help="a preset, with the dealer fixed or rotating; without it every parameter is drawn at random",
    )
    parser.add_argument("--game", default="razz", choices=sorted(GAMES))
    parser.add_argument(
        "--event", action="store_true", help="the preset's values in events; half of the hands have two entrants left"
    )
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--against", choices=("reference", "pokerkit"), default="reference")
    options = parser.parse_args()
    start = time.perf_counter()
    if options.against == "pokerkit":
        left_out, seen = against_pokerkit.compare("short", options.hands)
        said = ", ".join(f"{n} {what}" for what, n in sorted(seen.items()))
        sys.stdout.write(f"{said}: no difference ({time.perf_counter() - start:.0f} s); left out: {dict(left_out)}\n")
        return
    with ProcessPoolExecutor(options.processes) as pool:
        decisions = sum(pool.map(partial(run_block, options), range(0, options.hands, BLOCK)))
    took = time.perf_counter() - start
    sys.stdout.write(f"{options.hands} hands, {decisions} decisions: no difference ({took:.0f} s)\n")


if __name__ == "__main__":
    main()
