"""PokerKit on the very same hands."""

from functools import partial

from pokerkit import FixedLimitRazz

from razzsim.engine import state
from razzsim.engine.hand import deck
from tests.against_pokerkit import AUTOMATIONS, CARDS, UNKNOWN
from tests.bench.harness import Result, cpu_seconds, result
from tests.bench.tables import DOMAIN, LIMITS, SEED, STACK, example_sources, group_player, played_hands


def pokerkit(quick: bool) -> list[Result]:
    """PokerKit replays the hands of some deals; our kernel plays these very deals, again and again."""
    n, deals, loops = 6, 10 if quick else 60, 500
    sources = example_sources(n)
    recorded = [
        (deck(SEED, deal, DOMAIN), actions) for deal in range(deals) for _, _, _, actions in played_hands(sources, deal)
    ]
    player = group_player(sources)
    player.play(0, deals)
    ratios, theirs, ours = [], [], []
    for _ in range(2 if quick else 4):  # interleaved, so that both see the same machine
        theirs.append(len(recorded) / cpu_seconds(partial(_replay_all, recorded, n)))
        ours.append(loops * n * deals / cpu_seconds(lambda: [player.play(0, deals) for _ in range(loops)]))
        ratios.append(ours[-1] / theirs[-1])
    return [
        result("pokerkit", f"PokerKit replays {len(recorded)} six-handed hands", theirs, "hands/s"),
        result("pokerkit", f"the kernel plays the same, {loops} times", ours, "hands/s"),
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
