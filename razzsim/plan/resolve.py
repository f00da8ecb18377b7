"""From an experiment file to a plan: defaults, strategies, sweeps, line-ups, and every check across keys."""

import itertools
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from razzsim.document import ConfigError, Document, did_you_mean, in_one_line, read_document
from razzsim.engine import rules as engine_rules
from razzsim.plan.experiment import MAX_ENTRANTS, POWER_RULE, Entrant, Experiment, Record, Table
from razzsim.plan.messages import config_error
from razzsim.plan.plan import LineUp, Plan, PlannedEntrant, TableLimits, default_batch_groups
from razzsim.strategy.card import declaration_of
from razzsim.strategy.declaration import StrategyError
from razzsim.strategy.source import KINDS, Source, read_source

_PACKAGE = Path(__file__).resolve().parent.parent


def shipped(folder: str) -> Path:
    """Where shipped `configs` or `strategies` are: in the package, or in the checkout it runs from."""
    packaged = _PACKAGE / "examples" / folder
    return packaged if packaged.is_dir() else _PACKAGE.parent / folder


def plan_from_file(path: str | Path) -> Plan:
    """Read, check and resolve an experiment, strategies compiled. Raises ConfigError: one line, where and what."""
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {(error.strerror or str(error)).lower()}") from None
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: is not UTF-8 text (byte {error.start})") from None
    return plan_from_text(text, str(path), path.parent, path.stem)


def plan_from_text(text: str, file: str, folder: Path, stem: str) -> Plan:
    """`plan_from_file` for a text: file names it in errors, relative strategies start from folder."""
    document = read_document(text, file)
    try:
        experiment = Experiment.model_validate(document.data)
    except ValidationError as error:
        raise config_error(document, error) from None
    structures = _structures(document, experiment)
    entrants = _entrants(document, experiment, folder)
    line_ups = _line_ups(document, experiment, structures, entrants)
    rotations = max(line_up.rotations for line_up in line_ups)
    seats = max(limits["seats"] for limits in structures.values())
    batch = experiment.batch_groups or default_batch_groups(seats, rotations, experiment.deals)
    chunk = experiment.chunk_groups or batch
    for key, value in (("batch_groups", batch), ("chunk_groups", chunk)):
        if value & (value - 1):
            raise document.not_allowed((key,), POWER_RULE)
    if chunk > batch:
        raise document.not_allowed(("chunk_groups",), f"at most batch_groups, {batch}")
    return Plan(
        name=experiment.name or _name_of(document, stem),
        config=text,
        seed=experiment.seed,
        game=experiment.game,
        rules=_rules(document, experiment.rules),
        structures=structures,
        entrants=entrants,
        line_ups=line_ups,
        schedule=experiment.schedule,
        deals=experiment.deals,
        batch_groups=batch,
        chunk_groups=chunk,
        on_error=experiment.on_error,
        limits=experiment.limits.model_dump(),
        snapshot_s=experiment.snapshot_s,
        record=_record(experiment),
    )


def _record(experiment: Experiment) -> dict[str, Any]:
    given = experiment.record
    return given.model_dump() if isinstance(given, Record) else Record(level=given).model_dump()


def _name_of(document: Document, stem: str) -> str:
    name = stem.lower()
    if not name or len(name) > 40 or not all(c.isascii() and (c.isalnum() or c in "_-") for c in name):
        raise document.error(("name",), f"the file's name {stem!r} cannot be one: add name: of a-z, 0-9, _ and -")
    return name


def _rules(document: Document, given: str | Mapping[str, Any]) -> dict[str, object]:
    changes = dict(given) if isinstance(given, Mapping) else {"preset": given}
    preset = changes.pop("preset", "pokerstars")
    presets = ", ".join(engine_rules.PRESETS)
    if not isinstance(preset, str) or preset not in engine_rules.PRESETS:
        at = ("rules", "preset") if isinstance(given, Mapping) else ("rules",)
        raise document.not_allowed(at, f"a preset: {presets}{did_you_mean(str(preset), engine_rules.PRESETS)}")
    known = ["preset", "max_bets", "rake", *engine_rules.CHOICES]
    for name, value in changes.items():
        if name not in known:
            what = f"is not a key here{did_you_mean(name, known)}; keys are {', '.join(known)}"
            raise document.error(("rules", name), what, at_key=True)
        if problem := engine_rules.parameter_problem(name, value):
            raise document.not_allowed(("rules", name), problem)
    return engine_rules.rules_of(preset, changes)


def _structures(document: Document, experiment: Experiment) -> dict[str, TableLimits]:
    tables = {"table": experiment.table} if experiment.table else experiment.structures
    if not tables:
        what = "is missing: a mapping of seats, ante, bring_in, small_bet, big_bet, stacks (or several as structures)"
        raise document.error(("table",), what)
    if experiment.table and experiment.structures:
        raise document.error(("structures",), "stands for table: keep one of the two", at_key=True)
    rules = _rules(document, experiment.rules)
    uncapped = rules["heads_up_cap"] == "uncapped_if_round_starts_heads_up"
    cap = None if uncapped else rules["max_bets"]
    made = {}
    for name, table in tables.items():
        assert table is not None
        path = ("table",) if experiment.table else ("structures", name)
        made[name] = _table_limits(document, path, table, cap)
    if len({limits["seats"] for limits in made.values()}) > 1:
        raise document.error(("structures",), "all structures need the same number of seats")
    return made


def _table_limits(document: Document, path: tuple[str, ...], table: Table, cap: object) -> TableLimits:
    small = table.small_bet
    big = 2 * small if table.big_bet is None else table.big_bet
    if table.bring_in > small:
        raise document.not_allowed((*path, "bring_in"), f"1 to small_bet, {small}")
    if big <= small:
        raise document.not_allowed((*path, "big_bet"), f"more than small_bet, {small}")
    stacks: list[int]
    if table.stacks == "deep":
        if not isinstance(cap, int):
            what = (
                "deep is not allowed: whole chips, for these rules have rounds without a cap (max_bets, heads_up_cap)"
            )
            raise document.error((*path, "stacks"), what)
        stacks = [table.ante + cap * (2 * small + 3 * big)] * table.seats
    elif isinstance(table.stacks, int):
        stacks = [table.stacks] * table.seats
    else:
        stacks = list(table.stacks)
        if len(stacks) != table.seats:
            raise document.error((*path, "stacks"), f"a list of {len(stacks)} for {table.seats} seats: give one a seat")
    most = max(stacks)
    if isinstance(cap, int):
        # Short all-ins may not count to the cap; every seat goes all-in once at most.
        most = min(most, table.ante + cap * (2 * small + 3 * big) + table.seats * big)
    if table.seats * table.seats * most >= 1 << 31:
        raise document.error(
            path, f"a deal could move {table.seats**2 * most:,} chips; at most 2^31: use smaller bets or stacks"
        )
    return {
        "seats": table.seats,
        "ante": table.ante,
        "bring_in": table.bring_in,
        "small_bet": small,
        "big_bet": big,
        "stacks": stacks,
    }


def _entrants(document: Document, experiment: Experiment, folder: Path) -> tuple[PlannedEntrant, ...]:
    entrants: list[PlannedEntrant] = []
    for i, given in enumerate(experiment.entrants):
        path = ("entrants", i)
        source = _source(document, (*path, "strategy"), given.strategy, folder)
        base = given.name or source.function or source.stem
        _check_sweep(document, (*path, "params"), given.params)
        for params in _sweep(given.params):
            suffix = ",".join(f"{k}={params[k]}" for k, v in given.params.items() if isinstance(v, list))
            name = f"{base}[{suffix}]" if suffix else base
            if name in {entrant.name for entrant in entrants}:
                raise document.error(path, f"an entrant above is named {name} too: give this one a name")
            entrants.append(_entrant(document, path, name, given, source, params))
            if len(entrants) > MAX_ENTRANTS:
                raise document.error(("entrants",), f"make more than {MAX_ENTRANTS:,} entrants, which is the most")
    return tuple(entrants)


def _check_sweep(document: Document, path: tuple[str | int, ...], params: Mapping[str, Any]) -> None:
    lists = {key: value for key, value in params.items() if isinstance(value, list)}
    for key, values in lists.items():
        if not values:
            raise document.not_allowed((*path, key), "a number, true, false, or a list of them (a sweep)")
        twice = [place for place, value in enumerate(values) if value in values[:place]]
        if twice:
            raise document.not_allowed((*path, key, twice[0]), "each value of a sweep once")
    if (n := math.prod(map(len, lists.values()))) > MAX_ENTRANTS:
        raise document.error(path, f"make {n:,} entrants; at most {MAX_ENTRANTS:,}")


def _sweep(params: Mapping[str, Any]) -> list[dict[str, Any]]:
    values = [value if isinstance(value, list) else [value] for value in params.values()]
    return [dict(zip(params, chosen, strict=True)) for chosen in itertools.product(*values)]


def strategy_file(given: str, folder: Path) -> tuple[Path, str | None]:
    """File and function of `path.py`, `path.py:function`, `path.yaml` (from folder) or a shipped strategy's name.

    Raises LookupError, saying what is allowed.
    """
    name, _, function = given.partition(":")
    if is_path(name):
        return folder / name, function or None
    library = {path.stem: path for path in shipped("strategies").iterdir() if path.suffix in KINDS}
    if name not in library:
        names, endings = sorted(library), " or ".join(KINDS)
        hint = did_you_mean(name, names)
        raise LookupError(f"a path ending in {endings}, or a shipped strategy: {', '.join(names)}{hint}")
    return library[name], function or None


def is_path(strategy: str) -> bool:
    """Whether a strategy's name is that of a file, and not of a shipped one."""
    return strategy.endswith(tuple(KINDS))


def _source(document: Document, path: tuple[str | int, ...], given: str, folder: Path) -> Source:
    try:
        file, function = strategy_file(given, folder)
    except LookupError as error:
        raise document.not_allowed(path, error.args[0]) from None
    try:
        return read_source(file, function)
    except StrategyError as error:
        shown = in_one_line(str(file), 1000)
        raise document.error(path, f"{in_one_line(given)} is not allowed: {shown} {error}") from None


def _entrant(
    document: Document, path: tuple[str | int, ...], name: str, given: Entrant, source: Source, params: dict[str, Any]
) -> PlannedEntrant:
    try:
        declared = declaration_of(source)
    except StrategyError as error:
        file, _, _ = given.strategy.partition(":")
        raise document.error((*path, "strategy"), f"{in_one_line(file)}:{error.place}{error}") from error
    try:
        return PlannedEntrant(name, source, declared.params_with(params), given.count)
    except StrategyError as error:
        parameter = str(error).partition(":")[0]
        unknown = parameter not in declared.params
        hint = did_you_mean(parameter, declared.params) if unknown else ""
        what = f"{str(error).partition(': ')[2]}{hint}"
        raise document.error((*path, "params", parameter), what, at_key=unknown) from None


def _line_ups(
    document: Document,
    experiment: Experiment,
    structures: Mapping[str, TableLimits],
    entrants: tuple[PlannedEntrant, ...],
) -> tuple[LineUp, ...]:
    seats = next(iter(structures.values()))["seats"]
    at = ("table", "seats") if experiment.table else ("structures",)
    numbers = range(len(entrants))
    if experiment.schedule == "table":
        copies = tuple(number for number in numbers for _ in range(entrants[number].count))
        if len(copies) != seats:
            counts = " + ".join(f"{e.name} {e.count}" for e in entrants)
            raise document.error(
                at, f"{seats} seats, but the counts add up to {len(copies)} ({counts}): make them equal"
            )
        combinations: list[tuple[int, ...]] = [copies]
    else:
        _check_two_seats(document, experiment, entrants, seats, at)
        combinations = list(itertools.combinations(numbers, 2))
    rotations = seats
    grid = ((structure, copies) for structure in structures for copies in combinations)
    return tuple(LineUp(k, structure, copies, rotations) for k, (structure, copies) in enumerate(grid))


def _check_two_seats(
    document: Document, experiment: Experiment, entrants: tuple[PlannedEntrant, ...], seats: int, at: tuple[str, ...]
) -> None:
    schedule = experiment.schedule
    if seats != 2:
        raise document.error(at, f"{seats} seats; schedule {schedule} needs 2")
    if any(entrant.count != 1 for entrant in entrants):
        raise document.error(("entrants",), f"count is for schedule table; schedule {schedule} seats each entrant once")
    if len(entrants) < 2 or (schedule == "heads_up" and len(entrants) > 2):
        wanted = "exactly two" if schedule == "heads_up" else "at least two"
        hint = "; for more use round_robin" if len(entrants) > 2 else ""
        raise document.error(("entrants",), f"{len(entrants)} entrants; schedule {schedule} needs {wanted}{hint}")
