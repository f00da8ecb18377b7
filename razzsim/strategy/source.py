"""A strategy as it travels: text, read from its file once and carried by the plan."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

from razzsim.strategy.declaration import StrategyError


@dataclass(frozen=True)
class Source:
    """A strategy as it travels: file stem, text, and which function (None: the only one in the file)."""

    stem: str
    text: str
    function: str | None = None

    @property
    def sha256(self) -> str:
        """Hash of the text."""
        return hashlib.sha256(self.text.encode()).hexdigest()


def read_source(path: Path, function: str | None = None) -> Source:
    """Read a strategy file. Raises StrategyError when it cannot be read."""
    try:
        return Source(path.stem, path.read_text(encoding="utf-8-sig"), function)
    except UnicodeDecodeError as error:
        raise StrategyError(f"is not UTF-8 text (byte {error.start})") from None
    except (OSError, ValueError) as error:  # ValueError: a path with a NUL
        words = getattr(error, "strerror", None) or str(error)
        raise StrategyError(f"cannot be read: {words.lower()}") from None
