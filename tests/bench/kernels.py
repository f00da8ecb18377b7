"""The engine by itself, in one process: hands, decisions and lows a second; and PokerKit on the same hands."""

from functools import partial

import numpy as np
from numba import njit
from pokerkit import FixedLimitRazz

from razzsim.engine import state
from razzsim.engine.games import GAMES
from razzsim.engine.hand import deck
from razzsim.engine.lows import low_nb
from tests.against_pokerkit import AUTOMATIONS, CARDS, UNKNOWN
from tests.bench.harness import Result, cpu_seconds, result
from tests.bench.tables import DOMAIN, LIMITS, SEED, STACK, example_sources, group_player, played_hands


def kernel(quick: bool) -> list[Result]:
    """Hands a second of one core with the example strategies."""
    results = []
    for n, game in ((2, "razz"), (3, "razz"), (6, "razz"), (6, "deuce_to_seven_razz"), (8, "razz")):
        player = group_player(example_sources(n), game=game)
        player.play(0, 100)
        deals = 20_000 if quick else 60_000
        hands, decisions = [], []
        for take in range(3 if quick else 7):
            seconds = cpu_seconds(partial(player.play, take * deals, deals))
            hands.append(float(player.work["n_hands"][0]) / seconds)
            decisions.append(seconds / float(player.work["n_decisions"][0]) * 1e9)
        results.append(result("kernel", f"example strategies, {n} seats, {game}", hands, "hands/s"))
        results.append(result("kernel", f"example strategies, {n} seats, {game}", decisions, "ns/decision"))
    return results


@njit(cache=True)
def _lows_nb(games, hands, out):
    for i in range(len(hands)):
        out[i] = low_nb(games[0], hands[i], 7)


def lows(quick: bool) -> list[Result]:
    """Seven-card lows from card codes, random hands."""
    generator = np.random.default_rng(1)
    hands = np.array([generator.permutation(52)[:7] for _ in range(20_000)], np.uint8)
    hands = np.tile(hands, (5 if quick else 25, 1))
    table, out = GAMES["razz"].record, np.zeros(len(hands), np.int64)
    _lows_nb(table, hands, out)
    takes = [len(hands) / cpu_seconds(lambda: _lows_nb(table, hands, out)) for _ in range(5)]
    return [result("lows", "seven cards to a low", takes, "lows/s")]


def pokerkit(quick: bool) -> list[Result]:
    """PokerKit replays the hands of the first deals; our kernel plays these and the next ones in one go."""
    n, deals, kernel_deals = 6, 20 if quick else 60, 20_000
    sources = example_sources(n)
    recorded = [
        (deck(SEED, deal, DOMAIN), actions) for deal in range(deals) for _, _, _, actions in played_hands(sources, deal)
    ]
    player = group_player(sources)
    player.play(0, deals)
    ratios, theirs, ours = [], [], []
    for _ in range(2 if quick else 4):  # interleaved, so that both see the same machine
        theirs.append(len(recorded) / cpu_seconds(partial(_replay_all, recorded, n)))
        ours.append(n * kernel_deals / cpu_seconds(partial(player.play, 0, kernel_deals)))
        ratios.append(ours[-1] / theirs[-1])
    return [
        result("pokerkit", f"PokerKit replays {len(recorded)} six-handed hands", theirs, "hands/s"),
        result("pokerkit", f"the kernel plays the same and {kernel_deals - deals:,} more deals", ours, "hands/s"),
        result("pokerkit", "ratio", ratios, "times"),
    ]


def _replay_all(recorded: list[tuple[list[int], list[int]]], n: int) -> None:
    for slots, actions in recorded:
        _replay(slots, actions, n)


def _replay(slots: list[int], actions: list[int], n: int) -> None:
    ante, bring_in, small, big = LIMITS
    hand = FixedLimitRazz.create_state(AUTOMATIONS, True, ante, bring_in, small, big, [STACK] * n, n)
    left = iter(actions)
    while hand.status:
        if hand.card_burning_status:
            hand.burn_card(UNKNOWN)
        elif hand.actor_index is None:
            seat = hand.hole_dealee_index
            have, due = len(hand.hole_cards[seat]), len(hand.hole_dealing_statuses[seat])
            hand.deal_hole([CARDS[slots[card_no * n + seat]] for card_no in range(have, have + due)], seat)
        else:
            _act(hand, next(left))


def _act(hand: FixedLimitRazz, action: int) -> None:
    if action == state.RAISE:
        hand.complete_bet_or_raise_to()
    elif hand.bring_in_status:
        hand.post_bring_in()
    elif action == state.CALL or hand.checking_or_calling_amount == 0:
        hand.check_or_call()
    else:
        hand.fold()
