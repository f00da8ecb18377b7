"""A small right experiment for the plan's tests, and how to change it."""

from pathlib import Path

from razzsim.plan import Plan
from razzsim.plan.resolve import plan_from_text

HEADS_UP = """\
seed: 7
table:
  seats: 2
  ante: 1
  bring_in: 2
  small_bet: 4
  big_bet: 8
  stacks: deep
entrants:
  - strategy: tight
  - strategy: station
schedule: heads_up
deals: 100
"""


def changed(*changes: tuple[str, str]) -> str:
    """The experiment with texts replaced; each must be there."""
    text = HEADS_UP
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    return text


def plan_of(text: str, folder: Path, stem: str = "x") -> Plan:
    """Its plan, as of a file x.yaml in folder."""
    return plan_from_text(text, "x.yaml", folder, stem)
