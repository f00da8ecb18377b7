"""Proves what a plan is: which keys decide its fingerprint, how it is cut into chunks, and how entrants meet.

The golden fingerprint changes only with ENGINE_VERSION or the rules of hashing; then every stored run is another.
"""

import itertools
import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from razzsim.engine import ENGINE_VERSION
from razzsim.plan import LineUp, Plan, Shard
from razzsim.plan.plan import default_batch_groups
from tests.plan.experiments import HEADS_UP, changed, plan_of

CALLER = """\
from razzsim.strategy import CALL, strategy


@strategy(level=1, share=0.5, bold=False, declares=("deterministic", "stateless"))
def caller(me, table, p):
    return CALL
"""
EXPERIMENT = changed(("strategy: tight", "strategy: caller.py"), ("strategy: station", "strategy: caller.py:caller"))
EXPERIMENT = EXPERIMENT.replace("  - strategy: caller.py:caller\n", "  - strategy: caller.py:caller\n    name: other\n")
GOLDEN = "639d0d0c19a029566e1dfef04e988babbc956bfb14c16eab7bbb4581b6a97117"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "caller.py").write_text(CALLER)
    return tmp_path


def test_golden_fingerprint(folder):
    plan = plan_of(EXPERIMENT, folder)
    assert (ENGINE_VERSION, plan.fingerprint) == (2, GOLDEN)
    assert plan.run_id == GOLDEN[:12]


@pytest.mark.parametrize(
    "text",
    [
        "name: another\n" + EXPERIMENT,
        "# a remark\n" + EXPERIMENT.replace("seed: 7", "seed:    7   # lucky"),
        EXPERIMENT + "limits: {chunk_s: 60, attempts: 5}\nsnapshot_s: 1\n",
        EXPERIMENT + "on_error: fold\nstop: fixed\nrecord: sums\n",
        EXPERIMENT.replace("  big_bet: 8\n", ""),
        EXPERIMENT.replace("deep", str(1 + 4 * (2 * 4 + 3 * 8))),  # the same number, written out
        EXPERIMENT + "rules: {preset: pokerstars}\n",
        EXPERIMENT.replace("    name: other\n", "    name: other\n    params: {level: 1, share: 0.5}\n"),
    ],
)
def test_what_decides_no_number_is_not_in_the_fingerprint(text, folder):
    assert plan_of(text, folder, stem="elsewhere").fingerprint == plan_of(EXPERIMENT, folder).fingerprint


def test_chunks_and_deals_beside_an_explicit_batch_are_not_in_the_fingerprint(folder):
    batch = EXPERIMENT + "batch_groups: 8\n"
    one = plan_of(batch, folder).fingerprint
    assert plan_of(batch + "chunk_groups: 2\n", folder).fingerprint == one
    assert plan_of(batch.replace("deals: 100", "deals: 7000"), folder).fingerprint == one
    assert plan_of(batch.replace("batch_groups: 8", "batch_groups: 16"), folder).fingerprint != one


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("seed: 7", "seed: 8"),
        ("ante: 1", "ante: 0"),
        ("big_bet: 8", "big_bet: 9"),
        ("stacks: deep", "stacks: 50"),
        ("deals: 100", "deals: 100\nrules: {odd_chip: seat_order}"),
        ("heads_up", "round_robin"),
        ("heads_up", "table"),
        ("name: other", "name: another"),
        ("name: other", "name: other\n    params: {level: 2}"),
        ("deals: 100", "deals: 100\nbatch_groups: 8"),
    ],
)
def test_what_decides_numbers_is_in_the_fingerprint(old, new, folder):
    assert plan_of(EXPERIMENT.replace(old, new), folder).fingerprint != plan_of(EXPERIMENT, folder).fingerprint


def test_the_source_text_and_the_counts_are_in_the_fingerprint(folder):
    table = EXPERIMENT.replace("heads_up", "table").replace("seats: 2", "seats: 3")
    first = table.replace("caller.py\n", "caller.py\n    count: 2\n")
    second = table.replace("name: other\n", "name: other\n    count: 2\n")
    assert plan_of(first, folder).fingerprint != plan_of(second, folder).fingerprint
    before = plan_of(EXPERIMENT, folder).fingerprint
    (folder / "caller.py").write_text(CALLER + "# a remark\n")
    assert plan_of(EXPERIMENT, folder).fingerprint != before


def test_json_there_and_back(folder):
    text = EXPERIMENT.replace("name: other\n", "name: other\n    params: {share: 0.1, bold: true}\n")
    plan = plan_of(text, folder)
    back = Plan.from_json(plan.to_json())
    assert back == plan
    shard = replace(plan, shard=Shard(3, 16))
    assert Plan.from_json(shard.to_json()) == shard
    assert back.fingerprint == plan.fingerprint
    params = back.entrants[1].params
    assert params == {"level": 1, "share": 0.1, "bold": True}
    assert [type(params[name]) for name in ("level", "share", "bold")] == [int, float, bool]
    assert json.loads(plan.to_json())["entrants"][0]["source"]["text"] == CALLER


@pytest.mark.parametrize(
    ("seats", "rotations", "deals", "groups"),
    [
        (6, 6, 1_700_000, 16384),  # 26,562 a 64th of the deals
        (6, 6, 1 << 40, 131072),  # 2^24 / (20 * 6) = 139,810
        (2, 2, 1 << 40, 2097152),  # 2^24 / (3 * 2) = 2,796,202
        (8, 8, 1 << 40, 65536),  # 2^24 / (29 * 8) = 72,315
        (7, 7, 1 << 40, 65536),
        (3, 3, 1 << 40, 524288),
        (4, 4, 1 << 40, 262144),
        (5, 5, 1 << 40, 131072),
        (2, 2, 1, 1),
        (2, 2, 127, 1),
        (2, 2, 128, 2),
    ],
)
def test_default_batch(seats, rotations, deals, groups):
    assert default_batch_groups(seats, rotations, deals) == groups


@given(deals=st.integers(1, 3000), chunk=st.integers(0, 8), line_ups=st.integers(1, 3))
def test_chunks_tile_every_line_up_once(deals, chunk, line_ups):
    plan = _plan(deals, 1 << chunk, line_ups)
    chunks = list(plan.chunks())
    assert len(chunks) == plan.n_chunks
    for number in range(line_ups):
        groups = [range(c.first_group, c.first_group + c.n_groups) for c in chunks if c.line_up == number]
        assert list(itertools.chain(*groups)) == list(range(deals))
        assert all(c.first_group % (1 << chunk) == 0 for c in chunks)


@given(deals=st.integers(1, 600), chunk=st.integers(0, 6), line_ups=st.integers(1, 7), of=st.integers(1, 12))
def test_shards_are_every_nth_chunk_of_the_plan(deals, chunk, line_ups, of):
    plan = _plan(deals, 1 << chunk, line_ups)
    shards = [replace(plan, shard=Shard(number, of)) for number in range(1, of + 1)]
    chunks = list(plan.chunks())
    for k, shard in enumerate(shards):
        assert list(shard.chunks()) == chunks[k::of]
        assert shard.n_chunks == len(chunks[k::of])
        assert shard.n_groups == sum(c.n_groups for c in chunks[k::of])
        assert shard.fingerprint == plan.fingerprint
    assert sum(shard.hands for shard in shards) == plan.hands


@given(st.data(), st.integers(1, 300), st.integers(0, 5), st.integers(1, 3))
def test_what_is_missing_is_cut_at_the_grid(data, deals, chunk, line_ups):
    plan, size = _plan(deals, 1 << chunk, line_ups), 1 << chunk
    gaps = []
    for _ in range(line_ups):
        ends = sorted(data.draw(st.sets(st.integers(0, deals), max_size=8)))
        gaps.append(list(zip(ends[::2], ends[1::2], strict=False)))

    def gaps_of(line_up, n):
        assert n == deals
        return gaps[line_up]

    chunks = list(plan.chunks(gaps_of))
    assert len(chunks) == plan.count_chunks(gaps_of)
    assert chunks == sorted(chunks, key=lambda c: (c.first_group, c.line_up))
    for number in range(line_ups):
        of_one = [range(c.first_group, c.first_group + c.n_groups) for c in chunks if c.line_up == number]
        assert all(of_cell and of_cell[0] // size == of_cell[-1] // size for of_cell in of_one)
        assert list(itertools.chain(*of_one)) == list(itertools.chain(*(range(*gap) for gap in gaps[number])))


def _plan(deals, chunk_groups, line_ups):
    record = {"level": "sums", "sample": 1.0}
    one = Plan("x", "", 1, "razz", {}, {}, (), (), "table", deals, 256, chunk_groups, "stop_run", {}, 5, record)
    return replace(one, line_ups=tuple(LineUp(k, "table", (0, 1), 2) for k in range(line_ups)))


def test_a_plan_of_2_to_the_40_deals_is_arithmetic(tmp_path):
    plan = plan_of(changed(("deals: 100", f"deals: {1 << 40}\nchunk_groups: 1")), tmp_path)
    assert plan.n_chunks == 1 << 40
    assert plan.hands == 1 << 41
    third = replace(plan, shard=Shard(3, 16))
    assert (third.n_chunks, [c.first_group for c in itertools.islice(third.chunks(), 3)]) == (1 << 36, [2, 18, 34])
    assert [c.first_group for c in itertools.islice(plan.chunks(), 3)] == [0, 1, 2]


def test_line_ups_are_numbered_by_structures_then_entrants(tmp_path):
    table = HEADS_UP[HEADS_UP.index("table:") : HEADS_UP.index("entrants:")]
    limits = "{seats: 2, ante: 1, bring_in: 2, small_bet: 4}"
    text = changed(
        (table, f"structures:\n  low: {limits}\n  high: {limits}\n"),
        ("  - strategy: station\n", "  - strategy: station\n  - strategy: thief\n"),
        ("heads_up", "round_robin"),
    )
    plan = plan_of(text, tmp_path)
    pairs = [(0, 1), (0, 2), (1, 2)]
    assert [(one.number, one.structure, one.entrants) for one in plan.line_ups] == [
        (k, structure, pair) for k, (structure, pair) in enumerate(itertools.product(("low", "high"), pairs))
    ]
    assert [c.line_up for c in itertools.islice(plan.chunks(), 7)] == [0, 1, 2, 3, 4, 5, 0]


def test_copies_of_a_table_stand_in_the_order_of_the_entrants(tmp_path):
    text = changed(
        ("heads_up", "table"), ("seats: 2", "seats: 3"), ("- strategy: tight", "- strategy: tight\n    count: 2")
    )
    (line_up,) = plan_of(text, tmp_path).line_ups
    assert (line_up.entrants, line_up.rotations, line_up.places) == ((0, 0, 1), 3, (0, 1))


def test_a_sweep_makes_an_entrant_of_every_combination(tmp_path):
    text = changed(
        ("- strategy: tight", "- strategy: tight\n    params: {open_max: [7, 8], made_max: 9, reraise_max: [5, 6]}"),
        ("heads_up", "round_robin"),
    )
    names = [entrant.name for entrant in plan_of(text, tmp_path).entrants]
    assert names == [
        "tight[open_max=7,reraise_max=5]",
        "tight[open_max=7,reraise_max=6]",
        "tight[open_max=8,reraise_max=5]",
        "tight[open_max=8,reraise_max=6]",
        "station",
    ]


def test_strategies_by_bare_word_by_path_and_by_function(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "two.py").write_text(CALLER + CALLER.split("\n\n\n")[1].replace("def caller", "def second"))
    text = changed(("strategy: tight", "strategy: mine/two.py:second"), ("strategy: station", "strategy: station"))
    first, second = plan_of(text, tmp_path).entrants
    assert (first.name, first.source.function, first.params["level"]) == ("second", "second", 1)
    assert (second.name, second.source.stem, second.source.function) == ("station", "station", None)


@pytest.mark.parametrize(("cap", "stack"), [(4, 1 + 4 * (2 * 4 + 3 * 8)), (5, 1 + 5 * (2 * 4 + 3 * 8))])
def test_deep_covers_every_bet(cap, stack, tmp_path):
    plan = plan_of(changed(("deals: 100", f"deals: 100\nrules: {{max_bets: {cap}}}")), tmp_path)
    assert plan.structures["table"]["stacks"] == [stack, stack]


def test_stacks_by_seat_and_for_all(tmp_path):
    for given_stacks, stacks in (("[40, 50]", [40, 50]), ("60", [60, 60])):
        plan = plan_of(changed(("stacks: deep", f"stacks: {given_stacks}")), tmp_path)
        assert plan.structures["table"]["stacks"] == stacks
