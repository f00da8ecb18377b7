"""The views against plain Python that reads the recorded rows: counters by street, seat, position, start hand, steals,
bring-ins, pots, boards; and `convergence` against `standings` of the same run cut shorter.

Authority: records (what each counter means), the reference implementation's order of exposed hands.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import pytest

from razzsim.engine.cards import RANKS, card_text
from razzsim.store import Reader
from tests.reference.lows import exposed_key
from tests.runner.helpers import TABLE, experiment, play

FIELD = [{"strategy": "thief", "count": 2}, {"strategy": "loose"}, {"strategy": "station"}, {"strategy": "random"}]
SHORT = {**TABLE, "seats": 6, "stacks": [4, 40, 3, 400, 90, 150]}
RUNS: dict[str, dict[str, Any]] = {
    # Seats 0 and 2 cannot post their bring-in, or not even act; so it is displaced, and may be passed on.
    "short": {"table": SHORT, "rules": "tda", "schedule": "table", "entrants": [*FIELD, {"strategy": "tight"}]},
    "no-ante": {"table": {**TABLE, "ante": 0, "stacks": [60, 500]}, "schedule": "round_robin", "entrants": FIELD[1:]},
    # Eight seats that call run out of cards: the seventh is common to all.
    "full": {
        "table": {**TABLE, "seats": 8, "bring_in": 20},
        "schedule": "table",
        "entrants": [{"strategy": "station", "count": 6}, {"strategy": "loose"}, {"strategy": "tight"}],
    },
    "deuce": {
        "game": "deuce_to_seven_razz",
        "structures": {"deep": {**TABLE, "seats": 4}, "short": {**TABLE, "seats": 4, "ante": 10, "stacks": 100}},
        "schedule": "table",
        "entrants": [{**entrant, "count": 1} for entrant in FIELD],
    },
}
Key = tuple[str, str]  # structure, entrant


@dataclass
class Hand:
    """A recorded hand with its decisions; by seat: entrants' keys, card codes."""

    row: dict[str, Any]
    actions: list[dict[str, Any]]
    keys: list[Key]
    cards: list[list[int]]

    def net(self, seat: int) -> int:
        return int(self.row[f"net_{seat}"])

    def position(self, seat: int) -> int:
        owner = self.row["bring_in_seat"]
        return -1 if owner < 0 else (seat - owner) % len(self.keys)

    @cached_property
    def bring_in(self) -> dict[str, Any] | None:
        """The decision that posted it: the first of who owes it, unless that is to complete."""
        first = next((a for a in self.actions if a["seat"] == self.row["bring_in_seat"]), None)
        return first if first and first["action"] == 1 else None

    def folded_on(self, seat: int) -> int | None:
        return next((a["street"] for a in self.actions if (a["seat"], a["action"]) == (seat, 0)), None)


@dataclass
class Recorded:
    """A run with its rows."""

    reader: Reader
    game: str
    bets: dict[int, tuple[str, int]]
    """Structure and big bet by line-up."""
    hands: list[Hand]

    def view(self, sql: str) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = self.reader.query(sql).to_pylist()
        return rows

    def keyed(self, view: str, *columns: str) -> dict[tuple[Any, ...], dict[str, Any]]:
        found = self.view(f"SELECT * FROM {view}")
        keyed = {(r["structure"], r["entrant"], *(r[c] for c in columns)): r for r in found}
        assert len(keyed) == len(found)
        return keyed

    def big_bet(self, hand: Hand) -> int:
        return self.bets[hand.row["line_up"]][1]


@pytest.fixture(scope="module", params=RUNS)
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Recorded]:
    keys = {"deals": 120, "record": "actions", "chunk_groups": 32, "batch_groups": 32, **RUNS[request.param]}
    if "structures" in keys:
        keys["table"] = None
    path = play(experiment(tmp_path_factory.mktemp(request.param), **keys), "x.duckdb").path
    with Reader(path) as reader:
        yield recorded(reader)


def recorded(reader: Reader) -> Recorded:
    names = {row["entrant"]: row["name"] for row in reader.query("FROM entrants").to_pylist()}
    line_ups = {row["line_up"]: row for row in reader.query("FROM line_ups").to_pylist()}
    actions = defaultdict(list)
    for row in reader.query("FROM actions ORDER BY line_up, deal, rotation, n").to_pylist():
        actions[row["line_up"], row["deal"], row["rotation"]].append(row)
    hands = []
    for row in reader.query("FROM hands ORDER BY line_up, deal, rotation").to_pylist():
        line_up = line_ups[row["line_up"]]
        seats = range(len(line_up["entrants"]))
        keys = [(line_up["structure"], names[line_up["entrants"][row["copies"] >> 4 * s & 15]]) for s in seats]
        cards = [[row[f"cards_{s}"] >> 6 * k & 63 for k in range(7)] for s in seats]
        cards = [[code for code in codes if code != 63] for codes in cards]
        hands.append(Hand(row, actions[row["line_up"], row["deal"], row["rotation"]], keys, cards))
    bets = {number: (row["structure"], row["big_bet_chips"]) for number, row in line_ups.items()}
    return Recorded(reader, reader.run_row()["game"], bets, hands)


def seats_of(run: Recorded) -> Iterator[tuple[Hand, int]]:
    return ((hand, seat) for hand in run.hands for seat in range(len(hand.keys)))


def rate(run: Recorded, held: list[tuple[Hand, int]]) -> Any:
    """BB/100 of hands in seats, to rounding."""
    return pytest.approx(
        100 * sum(h.net(s) for h, s in held) / len(held) / run.big_bet(held[0][0]), rel=1e-12, abs=1e-9
    )


def share(part: float, whole: float) -> Any:
    return pytest.approx(part / whole, rel=1e-12) if whole else None


def grouped(run: Recorded, what: Any) -> dict[tuple[Any, ...], list[tuple[Hand, int]]]:
    """Hands in seats by structure, entrant and something."""
    groups = defaultdict(list)
    for hand, seat in seats_of(run):
        groups[(*hand.keys[seat], what(hand, seat))].append((hand, seat))
    return groups


def n_played(held: list[tuple[Hand, int]]) -> int:
    return sum(h.folded_on(s) != 3 for h, s in held)


def test_by_street(run: Recorded) -> None:
    counts: dict[tuple[Any, ...], Counter[str]] = defaultdict(Counter)
    for hand, seat in seats_of(run):
        for street in range(3, len(hand.cards[seat]) + 1):
            shown, won = (hand.row[f"{name}_mask"] >> seat & 1 for name in ("showdown", "winner"))
            counts[(*hand.keys[seat], street)] += Counter(seen=1, shown=shown, won=won, both=shown & won)
    for hand in run.hands:
        for a in hand.actions:
            passive = "call" if a["amount_chips"] else "check"
            word = ("fold", passive, "raise" if a["n_bets"] else "bet")[a["action"]]
            counts[(*hand.keys[a["seat"]], a["street"])] += Counter({word: 1, "bring_in": a is hand.bring_in})
    view = run.keyed("by_street", "street")
    assert view.keys() == counts.keys()
    for key, c in counts.items():
        row, n, active = view[key], sum(c[w] for w in ("fold", "check", "call", "bet", "raise")), c["bet"] + c["raise"]
        assert row["n_seen"] == c["seen"]
        assert [row[w] for w in ("fold", "check", "call", "bet", "raise")] == [
            share(c[w], n) for w in ("fold", "check", "call", "bet", "raise")
        ]
        assert row["aggression"] == share(active, active + c["call"] - c["bring_in"])
        ends = [share(c["shown"], c["seen"]), share(c["won"], c["seen"]), share(c["both"], c["shown"])]
        assert [row[name] for name in ("showdown", "won", "showdown_won")] == ends


def test_by_seat(run: Recorded) -> None:
    groups, view = grouped(run, lambda hand, seat: seat), run.keyed("by_seat", "seat")
    assert view.keys() == groups.keys()
    for key, held in groups.items():
        assert (view[key]["hands"], view[key]["bb100"]) == (len(held), rate(run, held))
    for structure in {key[0] for key in view}:
        won = sum(row["hands"] * row["bb100"] for key, row in view.items() if key[0] == structure)
        assert won == pytest.approx(0, abs=1e-6)


def test_by_position_and_bring_ins(run: Recorded) -> None:
    groups, view = grouped(run, lambda hand, seat: hand.position(seat)), run.keyed("by_position", "position")
    assert view.keys() == groups.keys()
    for key, held in groups.items():
        row = view[key]
        assert (row["hands"], row["played"], row["bb100"]) == (
            len(held),
            share(n_played(held), len(held)),
            rate(run, held),
        )
    dealt = Counter(hand.keys[seat] for hand, seat in seats_of(run))
    for key, row in run.keyed("bring_ins").items():
        held = groups[(*key, 0)]
        assert (row["n"], row["share"]) == (len(held), share(len(held), dealt[key]))
        assert (row["played"], row["bb100"]) == (share(n_played(held), len(held)), rate(run, held))


def label_of(codes: list[int]) -> str:
    return "".join(RANKS[rank] for rank in sorted(code >> 2 for code in codes[:3]))


def door_label_of(codes: list[int]) -> str:
    low, high = sorted(code >> 2 for code in codes[:2])
    return f"({RANKS[low]}{RANKS[high]}){RANKS[codes[2] >> 2]}"


@pytest.mark.parametrize(("name", "label"), [("by_start_hand", label_of), ("start_hands_by_door", door_label_of)])
def test_start_hands(run: Recorded, name: str, label: Any) -> None:
    groups, view = grouped(run, lambda hand, seat: label(hand.cards[seat])), run.keyed(name, "label")
    dealt = Counter(hand.keys[seat] for hand, seat in seats_of(run))
    assert view.keys() == groups.keys()
    for key, held in groups.items():
        row = view[key]
        assert (row["n"], row["share"]) == (len(held), share(len(held), dealt[key[:2]]))
        assert (row["played"], row["bb100"]) == (share(n_played(held), len(held)), rate(run, held))


def steals_of(run: Recorded, hand: Hand) -> Iterator[tuple[int, str]]:
    """(seat, what) of third street: chances to steal, steals and answers to them."""
    owner, n, doors = hand.row["bring_in_seat"], len(hand.keys), [codes[2] >> 2 for codes in hand.cards]
    if run.game == "deuce_to_seven_razz":
        doors = [door or 13 for door in doors]
    decisions = [a for a in hand.actions if a["street"] == 3]
    at = next((k for k, a in enumerate(decisions) if a["seat"] == owner), len(decisions))
    if decisions[at : at + 1] and decisions[at]["action"] == 2:
        return
    thief = None
    for a in decisions[at + 1 :]:
        seat = a["seat"]
        behind = [(seat + k) % n for k in range(1, (owner - seat) % n + 1)]
        rivals = [other for other in behind if a["live_mask"] >> other & 1]
        if thief is not None:
            yield seat, "faced"
            if a["action"]:
                yield seat, "defended"
                return
        elif a["n_bets"]:  # the bring-in was a full bet
            return
        else:
            is_chance = all(doors[seat] < doors[other] for other in rivals)
            if is_chance:
                yield seat, "chance"
            if is_chance and a["action"] == 2:
                yield seat, "steal"
                thief = seat
            elif a["action"]:
                return
    if thief is not None and hand.row["street"] == 3 and hand.row["winner_mask"] == 1 << thief:
        yield thief, "won"


def test_steals(run: Recorded) -> None:
    counts: dict[Key, Counter[str]] = {key: Counter() for hand in run.hands for key in hand.keys}
    for hand in run.hands:
        for seat, what in steals_of(run, hand):
            counts[hand.keys[seat]][what] += 1
    view = run.keyed("steals")
    assert view.keys() == counts.keys()
    for key, c in counts.items():
        row = view[key]
        names = ("n_chances", "n_steals", "n_won", "n_faced", "n_defended")
        assert [row[name] for name in names] == [c[w] for w in ("chance", "steal", "won", "faced", "defended")]
        assert (row["steal"], row["success"]) == (share(c["steal"], c["chance"]), share(c["won"], c["steal"]))
        assert row["defence"] == share(c["defended"], c["faced"])


def test_biggest_pots(run: Recorded) -> None:
    def order(hand: Hand) -> tuple[int, ...]:
        return (-hand.row["pot_chips"], *(hand.row[name] for name in ("deal", "line_up", "rotation")))

    for structure in {name for name, _ in run.bets.values()}:
        kept = []
        for line_up, (name, _) in run.bets.items():
            of_it = [hand for hand in run.hands if hand.row["line_up"] == line_up and name == structure]
            kept += sorted(of_it, key=order)[:20]
        expected = [
            (rank, hand.row["line_up"], hand.row["deal"], hand.row["rotation"], hand.row["pot_chips"])
            for rank, hand in enumerate(sorted(kept, key=order)[:100], 1)
        ]
        rows = run.view(f"FROM biggest_pots WHERE structure = '{structure}' ORDER BY rank")
        assert [tuple(row[k] for k in ("rank", "line_up", "deal", "rotation", "pot_chips")) for row in rows] == expected
        assert all(row["pot_bb"] == row["pot_chips"] / run.bets[row["line_up"]][1] for row in rows)


def cards_text(codes: list[int]) -> str:
    words = [card_text(code) for code in codes]
    seventh = f" ({words[6]})" if len(words) == 7 else ""
    return f"({words[0]} {words[1]}) {' '.join(words[2:6])}{seventh}"


def test_hand_seats(run: Recorded) -> None:
    view = {(r["line_up"], r["deal"], r["rotation"], r["seat"]): r for r in run.view("FROM hand_seats")}
    assert len(view) == sum(len(hand.keys) for hand in run.hands)
    boards = defaultdict(set)
    for hand, seat in seats_of(run):
        row, codes = view[(*(hand.row[name] for name in ("line_up", "deal", "rotation")), seat)], hand.cards[seat]
        street = len(codes)
        assert (row["structure"], row["entrant"], row["position"]) == (*hand.keys[seat], hand.position(seat))
        assert (row["copy"], row["pot_chips"]) == (hand.row["copies"] >> 4 * seat & 15, hand.row["pot_chips"])
        assert (row["street"], row["cards"], row["label"]) == (street, cards_text(codes), label_of(codes))
        assert (row["put_chips"], row["net_chips"]) == (hand.row[f"put_{seat}"], hand.net(seat))
        assert row["net_bb"] == hand.net(seat) / run.big_bet(hand)
        masks = [bool(hand.row[f"{name}_mask"] >> seat & 1) for name in ("showdown", "winner")]
        assert ([row["showdown"], row["won"]], row["folded"]) == (masks, hand.folded_on(seat) is not None)
        live = [other for other in range(len(hand.keys)) if other != seat and len(hand.cards[other]) >= street]
        rivals = [exposed_key(hand.cards[other][2 : min(street, 6)], run.game) for other in live]
        boards[min(street, 6)].add((exposed_key(codes[2:6], run.game), row["board"]))
        assert (row["rival_board"] is None) == (not rivals)
        if rivals:
            boards[min(street, 6)].add((min(rivals), row["rival_board"]))
    for found in boards.values():  # boards of a size are numbered as the reference sorts them
        in_order = sorted(found)
        assert all(a[0] < b[0] and a[1] < b[1] for a, b in pairwise(in_order))


def test_decisions(run: Recorded) -> None:
    found = run.view("FROM decisions ORDER BY line_up, deal, rotation, n")
    expected = []
    for hand in run.hands:
        for a in hand.actions:
            passive = "bring_in" if a is hand.bring_in else "call" if a["amount_chips"] else "check"
            active = "raise" if a["n_bets"] else "complete" if a["street"] == 3 else "bet"
            words = {"action": ("fold", passive, active)[a["action"]], "entrant": hand.keys[a["seat"]][1]}
            expected.append({**a, **words})
    assert found == expected


def test_what_the_runs_are_for_did_happen(run: Recorded, request: pytest.FixtureRequest) -> None:
    name = request.node.callspec.params["run"]
    n_folds_first = sum(bool(hand.actions) and hand.actions[0]["action"] == 0 for hand in run.hands)
    sevenths = [[codes[6] for codes in hand.cards if len(codes) == 7] for hand in run.hands]
    n_common = sum(len(set(codes)) < len(codes) for codes in sevenths)
    n_unpaid = sum(hand.row["winner_mask"] == 0 for hand in run.hands)
    n_all_in_dark = sum(hand.row["bring_in_seat"] < 0 or not hand.actions for hand in run.hands)
    happened = {"short": n_folds_first, "no-ante": n_unpaid, "full": n_common, "deuce": len(run.bets) - 1}
    assert happened[name], n_all_in_dark


def test_start_classes_count_all_hands(tmp_path: Path) -> None:
    with Reader(play(experiment(tmp_path, deals=1), "x.duckdb").path) as reader:
        view = reader.query("FROM start_classes").to_pylist()
    by_door: Counter[str] = Counter()
    by_ranks: Counter[str] = Counter()
    for cards in combinations(range(52), 3):
        by_ranks[label_of(list(cards))] += 1
        for door in cards:
            by_door[door_label_of([*(card for card in cards if card != door), door])] += 1
    assert (sum(by_ranks.values()), by_ranks["A23"], by_ranks["447"], by_ranks["KKK"]) == (22_100, 64, 24, 4)
    assert {row["door_label"]: row["combinations"] for row in view} == by_door
    found: Counter[str] = Counter()
    for row in view:
        found[row["label"]] += row["combinations"]
    assert found == {label: 3 * n for label, n in by_ranks.items()}
    labels = {row["class"]: row["label"] for row in view}
    assert sorted(labels) == list(range(455)) and labels[0] == "AAA" and labels[454] == "KKK"
    assert list(labels.values()) != sorted(by_ranks) and len(set(labels.values())) == 455
    by_rank = sorted(labels.values(), key=lambda text: [RANKS.index(c) for c in reversed(text)])
    assert [labels[k] for k in range(455)] == by_rank


ROUND: dict[str, Any] = {"schedule": "round_robin", "entrants": [{"strategy": s} for s in ("tight", "loose", "random")]}


@pytest.mark.parametrize(
    ("keys", "n_batches"),
    [pytest.param({}, 206, marks=pytest.mark.slow), pytest.param(ROUND, 206, marks=pytest.mark.slow), (ROUND, 41)],
)
def test_convergence_says_what_standings_said(keys: dict[str, Any], n_batches: int, tmp_path: Path) -> None:
    """Runs of one seed play the same deals, however many: a shorter one stands where a longer one stood."""
    size = 2
    deals, keys = size * n_batches - 1, {"batch_groups": size, **keys}
    whole = play(experiment(tmp_path, deals=deals, **keys), "whole.duckdb")
    rows = whole.sql("FROM convergence").to_pylist()
    names = {row["entrant"] for row in rows}
    for n in (n_batches, 19, 36):  # all three are among the 200 that are kept
        cut = min(n * size, deals)
        run = whole if cut == deals else play(experiment(tmp_path, f"x{n}", deals=cut, **keys), f"{n}.duckdb")
        for row in run.standings().to_pylist():
            at = [r for r in rows if (r["entrant"], r["deals"]) == (row["entrant"], cut)]
            assert [[r[k] for k in ("bb100", "lo_bb100", "hi_bb100")] for r in at] == [
                [pytest.approx(row[k], rel=1e-9) for k in ("bb100", "lo_bb100", "hi_bb100")]
            ], (cut, row)
    assert len(rows) == len(names) * min(n_batches, 200)
    for name in names:
        at_deals = [r["deals"] for r in rows if r["entrant"] == name]
        steps = {b - a for a, b in pairwise(at_deals[:-1])}
        assert at_deals[-1] == deals and steps <= {size, 2 * size}


def test_cost(tmp_path: Path) -> None:
    run = play(experiment(tmp_path, deals=50, record="actions"), "x.duckdb")
    (row,) = run.sql("FROM cost").to_pylist()
    assert (row["hands"], row["n_retries"]) == (100, 0)
    assert row["decisions"] == run.sql("SELECT count(*) AS n FROM actions").to_pylist()[0]["n"]
    assert row["hands_per_cpu_s"] == pytest.approx(100 / row["cpu_s"]) and row["wall_s"] > 0
