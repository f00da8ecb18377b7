"""razzsim rules show, razzsim rules diff: the presets with their authorities."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from razzsim.engine.rules import Setting

app = typer.Typer(
    help="Show the parameters of the rules, preset by preset.", rich_markup_mode=None, pretty_exceptions_enable=False
)

PRESET = Annotated[str, typer.Argument(help="pokerstars, wsop or tda.")]
JSON = Annotated[bool, typer.Option("--json", help="As one JSON document.")]
EVENT = Annotated[bool, typer.Option("--event", help="As played in a tournament event, not a cash game.")]


@app.command()
def show(preset: PRESET, json: JSON = False, event: EVENT = False) -> None:
    """Print a preset: every parameter, its value, where it comes from, and what else it could be.

    Example: razzsim rules show wsop
    """
    from razzsim.cli.output import as_json, print_table
    from razzsim.engine.rules import CHOICES

    settings = _preset(preset)
    others = {"max_bets": "1 to 126, null: no cap", "rake": "take, per, cap, from_street"}
    rows = [(name, setting.at(event=event), setting.source) for name, setting in settings.items()]
    if json:
        allowed = {name: list(words) for name, words in CHOICES.items()}
        found = {
            name: {"value": value, "source": source, "allowed": allowed.get(name, others.get(name))}
            for name, value, source in rows
        }
        sys.stdout.write(as_json({"preset": preset, "event": event, "rules": found}) + "\n")
        return
    cells = [
        (name, _text(value), source, others.get(name) or ", ".join(word for word in CHOICES[name] if word != value))
        for name, value, source in rows
    ]
    print_table(("parameter", "value", "source", "else"), cells, (False,) * 4)


@app.command()
def diff(one: PRESET, other: PRESET, json: JSON = False, event: EVENT = False) -> None:
    """Print the parameters in which two presets differ.

    Example: razzsim rules diff pokerstars wsop
    """
    from razzsim.cli.output import as_json, print_table

    left, right = _preset(one), _preset(other)
    both = {name: (left[name].at(event=event), right[name].at(event=event)) for name in left}
    differing = {name: values for name, values in both.items() if values[0] != values[1]}
    if json:
        found = {name: {one: a, other: b} for name, (a, b) in differing.items()}
        sys.stdout.write(as_json({"event": event, "differences": found}) + "\n")
        return
    if not differing:
        print(f"{one} and {other} do not differ")
        return
    cells = [(name, _text(a), _text(b)) for name, (a, b) in differing.items()]
    print_table(("parameter", one, other), cells, (False,) * 3)


def _preset(name: str) -> "dict[str, Setting]":
    from razzsim.document import did_you_mean
    from razzsim.engine.rules import PRESETS

    if name not in PRESETS:
        raise typer.BadParameter(f"{name} is not a preset{did_you_mean(name, PRESETS)}; presets: {', '.join(PRESETS)}")
    return PRESETS[name]


def _text(value: object) -> str:
    return "none" if value is None else str(value)
