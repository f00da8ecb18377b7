"""What a report consists of, before it is a page: templates walk these, and know nothing of poker."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import ClassVar

HEAT_BOUNDS = (1, 5, 20, 60, 150)
"""BB/100 at which a cell gets its next colour. Fixed, so that a colour means the same in every table and report."""


Cells = Sequence["Cell | str"]


@dataclass(frozen=True)
class Cell:
    """A cell of a table; heat: its win rate, told as a colour too."""

    text: str
    small: str = ""
    heat: float | None = None

    @property
    def shade(self) -> str:
        """CSS class of the colour: `win-1` .. `win-5`, `loss-1` .. `loss-5`, `even`."""
        if self.heat is None:
            return ""
        step = sum(abs(self.heat) >= bound for bound in HEAT_BOUNDS)
        return f"{'win' if self.heat > 0 else 'loss'}-{step}" if step else "even"


class Block:
    """A part of a section; kind: the templates' macro for it."""

    kind: ClassVar[str]


@dataclass(frozen=True)
class Text(Block):
    """A paragraph; tone: `answer`, `warning`, `quote` or `note` where it is none of the usual kind."""

    text: str
    tone: str = ""
    kind: ClassVar[str] = "text"


@dataclass(frozen=True)
class Code(Block):
    """Text as it is: a command, a file."""

    text: str
    kind: ClassVar[str] = "code"


@dataclass(frozen=True)
class Table(Block):
    """A table whose first columns name the row. words: columns that hold text, not numbers."""

    caption: str
    columns: Sequence[str]
    rows: Sequence[Cells]
    words: Sequence[int] = (0,)
    head: int = 0
    """The column that names the row."""
    grouped: bool = False
    """Rows of one name, in the first column, stand together under it."""
    style: str = ""
    """`grid` for a table of coloured cells."""
    kind: ClassVar[str] = "table"

    @property
    def cells(self) -> list[list[Cell]]:
        """The rows, every cell a Cell."""
        return [[cell if isinstance(cell, Cell) else Cell(cell) for cell in row] for row in self.rows]

    @property
    def bodies(self) -> list[list[list[Cell]]]:
        """The rows by their first cell where they are grouped, else all in one."""
        if not self.grouped:
            return [self.cells]
        return [list(rows) for _, rows in groupby(self.cells, lambda row: row[0].text)]


@dataclass(frozen=True)
class Plot(Block):
    """A drawing; name: of its file, without .svg; alt: what it shows, for those who do not see it."""

    name: str
    caption: str
    alt: str
    svg: str
    kind: ClassVar[str] = "plot"


@dataclass(frozen=True)
class Side(Block):
    """Blocks beside each other where there is room."""

    blocks: Sequence[Block]
    kind: ClassVar[str] = "side"


@dataclass(frozen=True)
class Details(Block):
    """Blocks that are shown when asked for."""

    summary: str
    blocks: Sequence[Block]
    is_open: bool = False
    kind: ClassVar[str] = "details"


@dataclass(frozen=True)
class Part(Block):
    """Blocks under a heading of their own, within a section."""

    heading: str
    blocks: Sequence[Block]
    kind: ClassVar[str] = "part"


@dataclass(frozen=True)
class Section:
    """Blocks under a heading; name: to link to."""

    name: str
    heading: str
    blocks: Sequence[Block] = field(default_factory=list)


@dataclass(frozen=True)
class Report:
    """A whole report."""

    title: str
    subtitle: str
    top: Sequence[Block]
    sections: Sequence[Section]

    @property
    def plots(self) -> list[Plot]:
        """Every plot, in order."""
        return [plot for section in self.sections for plot in _plots(section.blocks)]


def _plots(blocks: Sequence[Block]) -> list[Plot]:
    found: list[Plot] = []
    for block in blocks:
        if isinstance(block, Plot):
            found.append(block)
        elif isinstance(block, Side | Details | Part):
            found += _plots(block.blocks)
    return found
