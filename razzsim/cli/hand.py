"""razzsim hand play."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from razzsim.cli.low import GAME, game_of

if TYPE_CHECKING:
    from razzsim.engine.hand import Hand
    from razzsim.strategy.source import Source

app = typer.Typer(help="Look at single hands.", rich_markup_mode=None, pretty_exceptions_enable=False)

_ACTIONS = {"f": 0, "c": 1, "r": 2}


@app.callback()
def hand() -> None:
    """Look at single hands."""


@app.command()
def play(
    strategies: Annotated[list[str], typer.Argument(help="One a seat, 2 to 8: shipped names or .py files.")],
    seed: Annotated[int, typer.Option(min=0, max=(1 << 63) - 1, help="Seed of the cards and the dice.")] = 1,
    deal: Annotated[int, typer.Option(min=0, max=(1 << 56) - 1, help="Which deal of the seed.")] = 0,
    limits: Annotated[str, typer.Option(help="ante/bring-in/small bet/big bet, in chips.")] = "3/5/20/40",
    stacks: Annotated[str, typer.Option(help="Chips of all seats, or one number a seat with commas.")] = "1000",
    rules: Annotated[str, typer.Option(help="A preset: pokerstars, wsop or tda.")] = "pokerstars",
    game: GAME = "razz",
    cards: Annotated[
        list[str] | None, typer.Option(metavar="SEAT:CARDS", help="Cards of a seat in the order dealt; repeatable.")
    ] = None,
    actions: Annotated[str, typer.Option(help="First actions as letters f, c, r; then the strategies decide.")] = "",
) -> None:
    """Deal one hand, play it, and print it street by street.

    Example: razzsim hand play tight loose station --deal 4
    """
    from razzsim.cli.narrate import narrate
    from razzsim.engine.hand import Hand, IllegalAction, deck
    from razzsim.engine.rules import rules_record
    from razzsim.engine.state import table_record

    n = len(strategies)
    if not 2 <= n <= 8:
        raise typer.BadParameter(f"{n} strategies; a table has 2 to 8 seats, one strategy each")
    sources = [_source(text) for text in strategies]
    amounts = _limits(limits)
    slots = _stacked(deck(seed, deal), n, cards or [])
    played = Hand(rules_record(_preset(rules)), table_record(*amounts, n), _stacks(stacks, n), slots, game_of(game))
    script = _script(actions)
    lines = narrate(played, game_of(game), [s.stem for s in sources], _decider(sources, script, seed, deal))
    print(f"deal {deal} of seed {seed}, {game}, {rules} rules, limits {limits}")
    try:
        for line in lines:
            print(line)
    except IllegalAction as error:
        option = "--actions" if actions else "a strategy"
        raise typer.BadParameter(str(error), param_hint=option) from None
    except Failed as error:
        raise typer.BadParameter(str(error)) from None


class Failed(Exception):
    """A strategy raised an exception."""


def _decider(sources: "list[Source]", script: list[int], seed: int, deal: int) -> "Callable[[Hand], int]":
    """Scripted actions first, then each seat's strategy with the dice it would get in a run."""
    from razzsim.engine.hand import dice
    from razzsim.strategy.loader import compiled, load

    left = iter(script)

    def decide(hand: "Hand") -> int:
        seat = hand.actor
        assert seat is not None
        if (scripted := next(left, None)) is not None:
            return scripted
        me, strategy = hand.me(seat), load(sources[seat])
        for place, value in enumerate(strategy.params.values()):
            me["params"][place] = value
        if strategy.wants_dice:
            me["dice"] = dice(seed, deal, seat, int(hand.table["street"]), int(me["decision"]))
        try:
            return int(compiled(sources[seat])(me, hand.table))
        except Exception as error:
            raise Failed(f"strategy {sources[seat].stem} in seat {seat}: {type(error).__name__}: {error}") from error

    return decide


def _source(text: str) -> "Source":
    from razzsim.plan.resolve import strategy_file
    from razzsim.strategy import StrategyError
    from razzsim.strategy.loader import compiled
    from razzsim.strategy.source import read_source

    try:
        source = read_source(*strategy_file(text, Path()))
        compiled(source)
    except LookupError as error:
        raise typer.BadParameter(f"{text} is not allowed: {error.args[0]}") from None
    except StrategyError as error:
        raise typer.BadParameter(f"{text}:{error.place}{error}") from None
    return source


def _limits(text: str) -> tuple[int, int, int, int]:
    ante, bring_in, small, big = _numbers(text, "/", 4, "--limits")
    if not (ante >= 0 and 1 <= bring_in <= small < big):
        raise _not_allowed("--limits", text, "ante 0 or more, 1 <= bring-in <= small bet < big bet")
    return ante, bring_in, small, big


def _stacks(text: str, n: int) -> list[int]:
    stacks = _numbers(text, ",", None, "--stacks")
    if len(stacks) not in (1, n) or min(stacks) < 1:
        raise _not_allowed("--stacks", text, f"one number, or one for each of {n} seats, 1 or more")
    return stacks * n if len(stacks) == 1 else stacks


def _not_allowed(option: str, value: str, allowed: str) -> typer.BadParameter:
    return typer.BadParameter(f"{value} is not allowed: {allowed}", param_hint=option)


def _numbers(text: str, mark: str, count: int | None, option: str) -> list[int]:
    parts = text.split(mark)
    if not all(part.strip().isdecimal() and len(part) < 10 for part in parts) or count not in (None, len(parts)):
        wanted = f"{count} whole numbers" if count else "whole numbers"
        raise _not_allowed(option, text, f"{wanted} with {mark} between them")
    return [int(part) for part in parts]


def _preset(name: str) -> dict[str, object]:
    from razzsim.engine.rules import PRESETS, rules_of

    if name not in PRESETS:
        raise _not_allowed("--rules", name, f"a preset: {', '.join(PRESETS)}")
    return rules_of(name)


def _script(text: str) -> list[int]:
    letters = "".join(text.split()).lower()
    if wrong := set(letters) - set(_ACTIONS):
        allowed = "f (fold), c (check, call, bring in), r (bet, complete, raise)"
        raise _not_allowed("--actions", min(wrong), allowed)
    return [_ACTIONS[letter] for letter in letters]


def _stacked(slots: list[int], n: int, given: list[str]) -> list[int]:
    """The deck with the given cards exchanged into their seats' slots."""
    from razzsim.engine.cards import parse_cards

    fixed: dict[int, int] = {}
    seats: set[int] = set()
    for item in given:
        seat, colon, text = item.partition(":")
        try:
            codes = parse_cards(text)
        except ValueError as error:
            raise typer.BadParameter(str(error), param_hint="--cards") from None
        most = 6 if n == 8 else 7  # at eight seats the seventh card comes from a common pool
        if not colon or not seat.isdecimal() or int(seat) >= n or not 1 <= len(codes) <= most:
            raise _not_allowed("--cards", item, f"SEAT:CARDS, seat 0 to {n - 1}, 1 to {most} cards")
        if int(seat) in seats:
            raise _not_allowed("--cards", item, "each seat once")
        seats.add(int(seat))
        fixed |= {card_no * n + int(seat): code for card_no, code in enumerate(codes)}
    if len(set(fixed.values())) != len(fixed):
        raise typer.BadParameter("the same card is given twice", param_hint="--cards")
    for slot, code in fixed.items():
        at = slots.index(code)
        slots[slot], slots[at] = slots[at], slots[slot]
    return slots
