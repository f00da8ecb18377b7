"""A strategy as it travels: text, read from its file once and carried by the plan."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

from razzsim.strategy.declaration import StrategyError

KINDS = {".py": "compiled", ".yaml": "chart"}
"""What a strategy's file is, by its ending."""


@dataclass(frozen=True)
class Source:
    """A strategy as it travels: file stem, text, which function (None: the only one in the file), and what it is.

    kind: compiled (Python) or chart (YAML).
    """

    stem: str
    text: str
    function: str | None = None
    kind: str = "compiled"

    @property
    def sha256(self) -> str:
        """Hash of the text."""
        return hashlib.sha256(self.text.encode()).hexdigest()


def read_source(path: Path, function: str | None = None) -> Source:
    """Read a strategy file. Raises StrategyError when it cannot be read."""
    kind = next(kind for ending, kind in KINDS.items() if path.name.endswith(ending))
    try:
        return Source(path.stem, path.read_text(encoding="utf-8-sig"), function, kind)
    except UnicodeDecodeError as error:
        raise StrategyError(f"is not UTF-8 text (byte {error.start})") from None
    except (OSError, ValueError) as error:  # ValueError: a path with a NUL
        words = getattr(error, "strerror", None) or str(error)
        raise StrategyError(f"cannot be read: {words.lower()}") from None
