"""A report from its facts: sections in the order in which somebody asks."""

from collections.abc import Callable, Iterator, Sequence

from razzsim.report import plots, reproduce, tables
from razzsim.report.facts import Facts
from razzsim.report.model import Block, Part, Report, Section, Side, Table, Text
from razzsim.report.words import Row, lead, listed, signed, state_of

_N_FAILURES = 20
_GAMES = {"razz": "Razz (ace to five)", "deuce_to_seven_razz": "deuce-to-seven Razz"}


def report(facts: Facts, *, with_plots: bool) -> Report:
    """The whole report."""
    run = facts.run
    title = f"{run['name']}: {run['label']}" if run["label"] else run["name"]
    sections = [Section("question", "The question", list(_question(facts)))]
    sections.append(Section("answer", "The answer", list(_answer(facts))))
    if facts.rows["standings"]:
        sections += _results(facts, with_plots=with_plots)
    sections.append(Section("reproduce", "Cost, and how to reproduce it", list(reproduce.blocks(facts))))
    subtitle = f"razzsim report of {facts.file}, run {run['run_id']}"
    return Report(title, subtitle, list(_state(facts)), sections)


def _state(facts: Facts) -> Iterator[Block]:
    """What a reader must know before the numbers: that there will be others, or that something failed."""
    run, played = facts.run, facts.played
    if facts.plan.shard:
        yield Text(
            f"This is {facts.plan.shard} of the run: its numbers are those of its own deals alone, and no answer. "
            "razzsim merge puts shards together.",
            "warning",
        )
    if run["status"] != "complete":
        state = state_of(run["status"], being_written=facts.being_written)
        reason = f" ({run['stop_reason']})" if run["stop_reason"] else ""
        said = (
            f"This run is not complete: {state}{reason}; {played['hands']:,} of {facts.plan.hands:,} hands are played."
        )
        yield Text(said + (" This is its last snapshot." if facts.being_written else ""), "warning")
    if played["stopped"]:
        yield Text(
            f"{played['stopped']:,} line-ups were stopped by a failing strategy; standings leave them out.", "warning"
        )
    if failures := facts.rows["failures"]:
        yield _failures(failures)
        if len(failures) > _N_FAILURES:
            yield Text(f"{len(failures) - _N_FAILURES:,} more kinds are in the table failures of the file.", "note")
    if played["hands"] and not facts.has_counters:
        yield Text(
            "This run was played before razzsim counted behaviour: there is nothing to say about streets, positions, "
            "steals, starting hands and biggest pots.",
            "warning",
        )


def _failures(failures: Sequence[Row]) -> Table:
    """One row for what happened to one entrant, or to none, in one way; the first time stands for the others."""
    columns = ("outcome", "entrant", "times", "decisions", "first in line-up", "chunk from deal", "what was said")
    rows = [
        (
            str(row["outcome"]),
            str(row["name"] or ""),
            f"{row['times']:,}",
            "" if row["n"] is None else f"{row['n']:,}",
            str(row["example"]["line_up"]),
            f"{row['example']['first_group']:,}",
            str(row["example"]["message"] or ""),
        )
        for row in failures[:_N_FAILURES]
    ]
    return Table(f"Failures: {sum(row['times'] for row in failures):,}", columns, rows, words=(0, 1, 6))


def _question(facts: Facts) -> Iterator[Block]:
    run, plan = facts.run, facts.plan
    if run["note"]:
        yield Text(run["note"], "quote")
    if said := _first_comment(plan.config):
        yield Text(said, "quote")
    yield Text(f"{_who(facts)} The game is {_GAMES.get(plan.game, plan.game)}.")
    each = f"{plan.deals:,} deals" if len(plan.line_ups) == 1 else f"{plan.deals:,} deals for each line-up"
    yield Text(f"Asked for: {each}, {plan.hands:,} hands in all; played: {facts.played['hands']:,} hands.")
    yield _limits(facts)


def _first_comment(config: str) -> str:
    """What its author wrote above an experiment."""
    lines: list[str] = []
    for line in config.splitlines():
        if not line.startswith("#"):
            break
        lines.append(line.lstrip("# ").rstrip())
    return " ".join(lines)


def _who(facts: Facts) -> str:
    """Who against whom, and how the seats are given."""
    plan = facts.plan
    names = [f"{entrant.name} ×{entrant.count}" if entrant.count > 1 else entrant.name for entrant in plan.entrants]
    some = listed(names) if len(names) <= tables.N_SHOWN else f"{len(names)} entrants"
    n = facts.run["seats"]
    if plan.schedule == "table":
        return f"{some} share a table of {n} seats: a random order for each deal, rotated through all {n} seats."
    if plan.schedule == "heads_up":
        return f"{names[0]} against {names[1]}, two seats: each deal is played twice, with the cards exchanged."
    return (
        f"Everybody against everybody, two seats: {some}, each pair on the same deals, and each deal twice, with the "
        "cards exchanged."
    )


def _limits(facts: Facts) -> Table:
    chips = ("ante", "bring_in", "small_bet", "big_bet")
    rows = [
        [name, str(table["seats"]), *(f"{table[key]:,}" for key in chips), _stacks(table)]
        for name, table in facts.plan.structures.items()
    ]
    columns = ("structure", "seats", "ante", "bring-in", "small bet", "big bet", "stacks")
    return Table("The limits, in chips", columns, rows, words=(0,))


def _stacks(table: dict[str, object]) -> str:
    stacks = table["stacks"]
    assert isinstance(stacks, list | tuple)
    return f"{stacks[0]:,}" if len(set(stacks)) == 1 else " ".join(f"{stack:,}" for stack in stacks)


def _answer(facts: Facts) -> Iterator[Block]:
    if not facts.rows["standings"]:
        said = "no batch of deals is complete yet" if facts.played["hands"] else "nothing has been played yet"
        yield Text(f"There is none: {said}.", "answer")
        return
    several = len(facts.structures) > 1
    for structure in facts.structures:
        sentence = _sentence(facts, structure)
        yield Text(f"{structure}: {sentence}." if several else f"{sentence}.", "answer")
    yield Text(
        "BB/100: big bets won per 100 hands. ±: half of a 95% interval over whole deals, each with all its seatings; "
        "the single hand is never the sample.",
        "note",
    )
    if several:
        yield tables.overview(facts)
        yield Text(tables.LEGEND, "note")


def _sentence(facts: Facts, structure: str) -> str:
    """The sentence that `razzsim run` prints, or what there is to say of one entrant alone."""
    rows = facts.of("standings", structure)
    if not rows:
        return "no line-up has a complete batch of deals"
    said = lead(rows, facts.of("head_to_head", structure), facts.plan.schedule)
    return said or f"{rows[0]['entrant']} has {signed(rows[0]['bb100'])} BB/100 and no rival"


def _results(facts: Facts, *, with_plots: bool) -> Iterator[Section]:
    yield Section("standings", "Standings", _each(facts, lambda s: list(_standings(facts, s, with_plots=with_plots))))
    if facts.rows["head_to_head"]:
        said = _AHEAD if facts.plan.schedule == "table" else _WINS
        pairs = _each(facts, lambda s: [table] if (table := tables.payoffs(facts, s)) else [])
        yield Section(
            "payoffs",
            "Who beats whom",
            [Text(said), *pairs, Text(tables.LEGEND, "note"), *tables.left_out(facts, "head_to_head")],
        )
    if with_plots and (found := _each(facts, lambda s: list(_convergence(facts, s)))):
        yield Section("convergence", "How the estimates came about", [*found, Text(_CONVERGENCE, "note")])
    if facts.has_counters:
        yield from _behaviour(facts)
    if pots := _each(facts, lambda s: tables.biggest_pots(facts, s)):
        yield Section("pots", "Biggest pots", pots)


_AHEAD = "How far the entrant of the row is ahead of that of the column on the same deals, in BB/100 (± 95%)."
_WINS = "What the entrant of the row wins from that of the column, in BB/100 (± 95%)."
_CONVERGENCE = (
    "What the standings would have said after each batch of deals: win rate (line), its 95% interval (band), and where "
    "it ended (dashes). The axis ends five last intervals above and below, which cuts off the first, widest ones. "
    "The first entrants by rank are shown."
)


_STARTING_HANDS = (
    "Win rate in BB/100 by the ranks of the first three cards, whichever is the door card, and below it the share of "
    "these hands not folded on third street. Find a hand by its lowest card (the table), the next (the row) and its "
    "highest (the column); in the first row and on the diagonal are pairs. There is no interval: the seatings of a "
    "deal hand the same three cards to every seat, so that hands of a class are no independent sample."
)


def _standings(facts: Facts, structure: str, *, with_plots: bool) -> Iterator[Block]:
    yield tables.standings(facts, structure)
    if with_plots and (plot := plots.intervals(facts, structure)):
        yield plot
        if (n := len(facts.of("standings", structure))) > plots.N_INTERVALS:
            yield Text(f"The plot shows the first {plots.N_INTERVALS} of {n}; the table has all.", "note")


def _convergence(facts: Facts, structure: str) -> Iterator[Block]:
    if panels := plots.convergence(facts, structure):
        yield Side(panels)


def _behaviour(facts: Facts) -> Iterator[Section]:
    yield Section(
        "behaviour",
        "What they did",
        [
            *_each(
                facts,
                lambda s: [
                    tables.by_street(facts, s),
                    tables.by_position(facts, s),
                    tables.steals(facts, s),
                    tables.bring_ins(facts, s),
                ],
            ),
            *(Text(said, "note") for said in tables.BEHAVIOUR),
            *tables.left_out(facts, "by_street"),
        ],
    )
    yield Section(
        "starting-hands",
        "Starting hands",
        [
            Text(f"{_STARTING_HANDS} {tables.LEGEND}"),
            *_each(facts, lambda s: list(tables.start_hands(facts, s))),
            *tables.left_out(facts, "by_start_hand"),
        ],
    )


def _each(facts: Facts, make: Callable[[str], list[Block]]) -> list[Block]:
    """Blocks for every structure, under its name where there are several."""
    if len(facts.structures) == 1:
        return make(facts.structures[0])
    made = ((structure, make(structure)) for structure in facts.structures)
    return [Part(structure, blocks) for structure, blocks in made if blocks]
