"""The engine by itself, in one process: hands, decisions and lows a second; and PokerKit on the same hands."""

from functools import partial

import numpy as np
from numba import njit
from pokerkit import FixedLimitRazz

from razzsim.engine import bulk, rules, state
from razzsim.engine.games import GAMES
from razzsim.engine.hand import Hand, deck, dice
from razzsim.engine.lows import low_nb
from razzsim.plan.resolve import shipped
from razzsim.strategy.loader import compiled, load
from razzsim.strategy.source import Source, read_source
from tests.against_pokerkit import AUTOMATIONS, CARDS, UNKNOWN
from tests.bench.harness import Result, cpu_seconds, result

LIMITS = (3, 5, 20, 40)
STACK = 3 + 4 * (2 * 20 + 3 * 40)  # covers every bet
EXAMPLES = ("tight", "thief", "loose", "station")


def example_sources(n_seats: int) -> list[Source]:
    """The example strategies around a table of n seats."""
    return [read_source(shipped("strategies") / f"{EXAMPLES[k % 4]}.py") for k in range(n_seats)]


def group_player(sources: list[Source], seed: int = 1, game: str = "razz") -> bulk.GroupPlayer:
    """A table of strategies as the workers lay it."""
    n = len(sources)
    work = np.zeros(1, bulk.WORK_DTYPE)
    work["seed"], work["domain"], work["n_rotations"], work["shuffled"] = seed, 3, n, 1
    names = list(dict.fromkeys(source.stem for source in sources))
    work["n_entrants"] = len(names)
    work["start_chips"][0, :n] = STACK
    params = np.zeros((n, state.N_PARAMS))
    for copy, source in enumerate(sources):
        strategy = load(source)
        work["entrant_of"][0, copy] = names.index(source.stem)
        work["wants_dice"][0, copy] = strategy.wants_dice
        params[copy, : len(strategy.params)] = list(strategy.params.values())
    record = rules.rules_record(rules.rules_of("pokerstars"))
    return bulk.GroupPlayer(
        record, state.table_record(*LIMITS, n), [compiled(s) for s in sources], params, work, GAMES[game]
    )


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
    recorded = [hand for deal in range(deals) for hand in _record(sources, deal)]
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


def _record(sources: list[Source], deal: int) -> list[tuple[list[int], list[int]]]:
    """Slots and actions of every rotation of a deal, driven by the compiled strategies, step by step."""
    player, n = group_player(sources), len(sources)
    player.play(deal, 1)  # leaves the seating of the deal in its records
    order = [int(copy) for copy in player.work["order"][0, :n]]
    slots, record = deck(seed=1, deal=deal, domain=3), rules.rules_record(rules.rules_of("pokerstars"))
    hands = []
    for rotation in range(n):
        hand, actions = Hand(record, state.table_record(*LIMITS, n), [STACK] * n, slots), []
        while not hand.is_over:
            if hand.street_is_over:
                hand.deal()
                continue
            copy = order[(hand.actor + rotation) % n]
            me = hand.me(hand.actor)
            me["params"] = player.mes[copy]["params"]
            if player.work["wants_dice"][0, copy]:
                me["dice"] = dice(1, deal, hand.actor, int(hand.table["street"]), int(me["decision"]), domain=3)
            actions.append(int(compiled(sources[copy])(me, hand.table)))
            hand.apply(actions[-1])
        hands.append((slots, actions))
    return hands


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
