"""razzsim low."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from razzsim.engine.games import Game

GAME = Annotated[str, typer.Option(help="razz or deuce_to_seven_razz.")]


def low(
    cards: Annotated[list[str], typer.Argument(help="One hand (Ah 2c 3d ..), or several, each in one word.")],
    game: GAME = "razz",
    json: Annotated[bool, typer.Option("--json", help="As one JSON document.")] = False,
) -> None:
    """Say the low of a hand: its best five, its name and class; several are ranked, the best first.

    Example: razzsim low 5d5c6d6c7d7c7h 4d4c8d8c9d9c9h
    """
    from razzsim.cli.output import as_json, print_table
    from razzsim.engine.cards import cards_text
    from razzsim.engine.games import best_five

    rules = game_of(game)
    answers = []
    for hand in _hands(cards):
        value, five = best_five(rules, hand)
        answers.append((value, cards_text(hand), cards_text(five), rules.low_text(value), rules.low_class(value)))
    answers.sort(key=lambda answer: answer[0])
    ranks = [1 + sum(other[0] < value for other in answers) for value, *_ in answers]
    names = ("rank", "hand", "best five", "low", "class")
    rows = [(rank, *answer[1:]) for rank, answer in zip(ranks, answers, strict=True)]
    if json:
        sys.stdout.write(as_json({"game": game, "hands": [dict(zip(names, row, strict=True)) for row in rows]}) + "\n")
        return
    print_table(names, [tuple(map(str, row)) for row in rows], (True, False, False, False, False))


def game_of(name: str) -> "Game":
    """The game of an option. Raises BadParameter."""
    from razzsim.document import did_you_mean
    from razzsim.engine.games import GAMES

    if name not in GAMES:
        raise typer.BadParameter(f"{name} is not a game{did_you_mean(name, GAMES)}; games: {', '.join(GAMES)}")
    return GAMES[name]


def _hands(given: list[str]) -> list[list[int]]:
    """Single cards make one hand, everything longer is a hand of its own."""
    texts = ["".join(given)] if all(len(text) == 2 for text in given) else given
    hands = [_hand(text) for text in texts]
    held = [code for hand in hands for code in hand]
    if twice := sorted({code for code in held if held.count(code) > 1}):
        from razzsim.engine.cards import cards_text

        raise typer.BadParameter(f"{cards_text(twice)} in more than one hand: there is one of each card")
    return hands


def _hand(text: str) -> list[int]:
    from razzsim.engine.cards import parse_cards

    try:
        hand = parse_cards(text)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
    if not 5 <= len(hand) <= 7:
        raise typer.BadParameter(f"{text!r} has {len(hand)} cards; a hand has 5 to 7")
    return hand
