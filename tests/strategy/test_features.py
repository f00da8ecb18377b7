"""Proves each feature of a view against a plain definition of the same words, on random views and picked cases."""

import random
from itertools import combinations_with_replacement

import numpy as np
import pytest

from razzsim.engine.cards import NO_CARD, parse_cards
from razzsim.engine.state import ME_DTYPE, TABLE_DTYPE
from razzsim.strategy import features as f


def view(own="", seat=0, ups=("", ""), **table_fields):
    """Records of a seat that holds `own` (deal order) at a table that shows `ups`; everybody is live."""
    me, table = np.zeros(1, ME_DTYPE).view(np.recarray)[0], np.zeros(1, TABLE_DTYPE).view(np.recarray)[0]
    me.cards, table.up, me.seat, table.n_seats = NO_CARD, NO_CARD, seat, len(ups)
    table.street, table.live_mask, table.bring_in_seat = 3, (1 << len(ups)) - 1, -1
    me.n_cards = len(parse_cards(own))
    me.cards[: me.n_cards] = parse_cards(own)
    for card in parse_cards(own):
        me.rank_mask |= 1 << (card >> 2)
    for k, cards in enumerate(ups):
        table.up_rank_mask[k] = sum({1 << (card >> 2) for card in parse_cards(cards)})
        table.n_up[k] = len(parse_cards(cards))
        table.up[k, : table.n_up[k]] = parse_cards(cards)
    for name, value in table_fields.items():
        setattr(table, name, value)
    return me, table


def random_views(n=300):
    """Views as a deal could make them: distinct cards, some seats folded or all-in."""
    draw = random.Random(5)
    for _ in range(n):
        n_seats, street = draw.randint(2, 7), draw.randint(3, 7)
        deck = draw.sample(range(52), 52)
        me, table = view(seat=draw.randrange(n_seats), ups=[""] * n_seats, street=street)
        for seat in range(n_seats):
            table.n_up[seat] = min(street, 6) - 2 if draw.random() < 0.7 else draw.randint(1, min(street, 6) - 2)
            for i in range(table.n_up[seat]):
                table.up[seat, i] = deck.pop()
            if draw.random() < 0.3 and seat != me.seat:
                table.live_mask &= ~(1 << seat)
            elif draw.random() < 0.1:
                table.all_in_mask |= 1 << seat
        table.bring_in_seat = table.opener = draw.randrange(n_seats)
        hidden = [deck.pop() for _ in range(2 + (street == 7))]
        own = [*hidden[:2], *table.up[me.seat][: table.n_up[me.seat]].tolist(), *hidden[2:]]
        me.n_cards = len(own)
        me.cards[: len(own)] = own
        me.rank_mask = sum({1 << (int(card) >> 2) for card in own})
        for seat in range(n_seats):
            shown = table.up[seat, : table.n_up[seat]].tolist()
            table.up_rank_mask[seat] = sum({1 << (card >> 2) for card in shown})
        yield me, table


def ranks(cards):
    """Different ranks, lowest first, as players say them: 1 = ace."""
    return sorted({(int(card) >> 2) + 1 for card in cards if card != NO_CARD})


def held(me):
    return ranks(me.cards[: me.n_cards])


def shown(table, seat):
    return ranks(table.up[seat, : table.n_up[seat]])


def opponents(me, table):
    return [s for s in range(table.n_seats) if s != me.seat and table.live_mask >> s & 1]


def test_own_cards():
    for me, _ in random_views():
        own = [*held(me), *[14] * 5]
        for top in (1, 5, 8, 8.0, 13):
            low = sum(rank <= top for rank in held(me))
            assert f.n_low(me, top) == low
            assert f.draw_n(me, top) == max(0, 5 - low)
        assert (f.made_low(me), f.draw_top(me), f.roughness(me)) == (own[4], own[3], own[3])


def test_what_others_show():
    for me, table in random_views():
        assert f.n_live(table) == len(opponents(me, table)) + 1
        for seat in range(table.n_seats):
            assert f.door(table, seat) == (int(table.up[seat, 0]) >> 2) + 1
        for top in (5, 8, 13):
            lows = [sum(rank <= top for rank in shown(table, s)) for s in range(table.n_seats)]
            assert [f.up_low(table, s, top) for s in range(table.n_seats)] == lows
            assert f.best_up(me, table, top) == max((lows[s] for s in opponents(me, table)), default=0)


def test_dead_cards():
    for me, table in random_views():
        seen = [c for s in range(table.n_seats) if s != me.seat for c in table.up[s, : table.n_up[s]].tolist()]
        for top in (5, 8, 13):
            dead = [c for c in seen if (c >> 2) + 1 <= top and (c >> 2) + 1 not in held(me)]
            assert f.n_dead(me, table, top) == len(dead)


def test_seats_behind():
    for me, table in random_views():
        n, behind = int(table.n_seats), []
        seat = (int(me.seat) + 1) % n
        while seat != table.bring_in_seat and seat != me.seat:
            behind += [seat] if table.live_mask >> seat & 1 and not table.all_in_mask >> seat & 1 else []
            seat = (seat + 1) % n
        assert f.n_behind(me, table) == len(behind)


SIX = ["Kc", "2c", "3c", "4c", "5c", "6c"]


def test_seats_behind_by_hand():
    for seat, behind in ((3, 2), (4, 1), (5, 0)):  # seat 0 brought it in
        assert f.n_behind(*view(seat=seat, ups=SIX, bring_in_seat=0)) == behind
    assert f.n_behind(*view(seat=0, ups=["Kc", "2c", "3c"], bring_in_seat=0)) == 2


STEALS = [
    # (own seat, doors, callers of the bring-in, what changed, steal?)
    (1, ["Kc", "5d", "9h", "Ts"], [], {}, True),
    (1, ["Kc", "5d", "4h", "Ts"], [], {}, False),  # a lower door behind
    (1, ["Kc", "5d", "5h", "Ts"], [], {}, False),  # an equal door behind is not beaten
    (2, ["Kc", "4d", "5h", "Ts"], [], {"live_mask": 0b1101}, True),  # the lower door has folded
    (1, ["Kc", "5d", "4h", "Ts"], [], {"live_mask": 0b1011}, True),
    (2, ["Kc", "9d", "5h", "Ts"], [1], {}, False),  # somebody called
    (2, ["Kc", "9d", "5h", "Ts"], [], {"n_bets": 1}, False),  # somebody completed
    (0, ["Kc", "9d", "Jh", "Ts"], [], {}, False),  # the bring-in cannot steal
    (3, ["Kc", "9d", "5h", "Ts"], [], {"live_mask": 0b1001}, True),
    (3, ["Kc", "9d", "5h", "Kd"], [], {"live_mask": 0b1001}, False),
    (1, ["Kc", "5d", "9h", "Ts"], [], {"street": 4}, False),
]


@pytest.mark.parametrize(("seat", "doors", "callers", "changes", "steal"), STEALS)
def test_steals(seat, doors, callers, changes, steal):
    me, table = view(seat=seat, ups=doors, bring_in_seat=0, **changes)
    actions = [(0, 1), *((s, 1 if s in callers else 0) for s in range(1, seat))]
    for k, (actor, action) in enumerate(actions):
        table.history[0, k] = actor << 4 | action
    table.n_history[0] = len(actions)
    assert f.is_steal(me, table) == steal


LOCKS = [
    # (own cards, opponent's upcards, street, locked?)
    ("Ac2c3c4c5cKcKd", "AdAh2d2h", 7, False),  # 5-4-3-2-A there is possible: it would split
    ("Ac2c3c4c6cKcKd", "KhKsQdQh", 7, True),  # the best there: Q and K pair up, 3 hidden cards make no five ranks
    ("Ac2c3c4c6cKcKd", "7hKsQdQh", 7, True),  # best there Q-7-3-2-A
    ("Ac2c3c4c6cKcKd", "7h8s9dTh", 7, True),  # best there 8-7-3-2-A
    ("Ac2c3c4c9cKcKd", "7h8s9dTh", 7, False),
    ("Ac2c3c4c9cKc", "7h8s9dTh", 6, False),
    ("Ac2c3c4c7c", "8h9s9d", 5, False),  # not before sixth
    ("Ac2c3c4c4d4h", "KhKsQdQh", 6, False),  # nothing made
    ("2c3c4c8cKc9d", "5h6s8dTh", 6, False),
]


@pytest.mark.parametrize(("own", "ups", "street", "locked"), LOCKS)
def test_locks(own, ups, street, locked):
    me, table = view(own, ups=["", ups], street=street)
    assert bool(f.is_locked(me, table)) == locked
    assert f.is_locked(*view(own, ups=["", ups], street=street, live_mask=1)) == (street >= 6 and f.made_low(me) < 14)


def test_locked_against_every_completion():
    """Never locked against a low the opponent could make of any three ranks; locked when there is none."""
    for me, table in list(random_views(60)):
        if table.street < 6 or f.made_low(me) == 14:
            continue
        mine, best = list(reversed(held(me)[:5])), None
        for seat in opponents(me, table):
            for extra in combinations_with_replacement(range(1, 14), 3):
                theirs = sorted({*shown(table, seat), *extra})[:5]
                if len(theirs) == 5:
                    best = min(best or [15], list(reversed(theirs)))
        assert bool(f.is_locked(me, table)) == (best is None or mine < best)


def test_uniform_is_uniform_and_repeats_itself():
    me, _ = view()
    draw = np.random.default_rng(3)
    for k in (0, 1, 7):
        numbers = []
        for dice in draw.integers(0, 1 << 64, 20_000, dtype=np.uint64):
            me.dice = dice
            numbers.append(f.uniform(me, k))
        assert f.uniform(me, k) == numbers[-1]
        assert min(numbers) >= 0
        assert max(numbers) < 1
        assert abs(np.mean(numbers) - 1 / 2) < 5 * np.sqrt(1 / 12 / 20_000)
        assert abs(np.var(numbers) - 1 / 12) < 5 * np.sqrt(1 / 180 / 20_000)
        assert abs(np.mean(np.array(numbers) < 0.1) - 0.1) < 5 * np.sqrt(0.09 / 20_000)
    assert f.uniform(me, 0) != f.uniform(me, 1)


def test_uniform_is_splitmix64():
    """The first outputs of SplitMix64 from seed 1234567, a published test vector."""
    me, _ = view()
    me.dice = 1234567
    vector = (6457827717110365317, 3203168211198807973, 9817491932198370423)
    assert [f.uniform(me, k) for k in range(3)] == [(word >> 11) / (1 << 53) for word in vector]


def test_picked_hands():
    me, table = view("Ac2d3hKsKd", ups=["KsKd", "4c5d"], street=4)
    assert (f.n_low(me, 8), f.draw_n(me, 8), f.made_low(me), f.draw_top(me)) == (3, 2, 14, 13)
    assert f.n_dead(me, table, 8) == 2
    wheel, _ = view("Ac2d3h4s5d")
    assert (f.made_low(wheel), f.roughness(wheel), f.draw_n(wheel, 5)) == (5, 4, 0)
