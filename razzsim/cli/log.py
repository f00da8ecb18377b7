"""What goes to stderr: lines for people, or with --log-format json one JSON object a line for machines."""

import io
import json
import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated

import typer

from razzsim import events


class LogFormat(StrEnum):
    """How to log."""

    text = "text"
    json = "json"


LOG_FORMAT = Annotated[LogFormat, typer.Option(help="What goes to stderr: text, or one JSON object a line.")]


class JsonLines(logging.Formatter):
    """A record as a JSON object in one line: ts (UTC), level, event, message, and the event's facts."""

    def format(self, record: logging.LogRecord) -> str:
        """One line, without its end."""
        told = {
            "ts": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "event": getattr(record, "event", "note"),
            "message": record.getMessage(),
            **getattr(record, "facts", {}),
        }
        return json.dumps(told, ensure_ascii=False, default=str)


class _Lines(io.TextIOBase):
    """A stream that logs every line: what libraries write to stderr must not stand between JSON objects."""

    def __init__(self) -> None:
        self._begun = ""

    def write(self, text: str) -> int:
        *lines, self._begun = (self._begun + text).split("\n")
        for line in filter(None, lines):
            events.tell("output", line)
        return len(text)


_handlers: list[logging.Handler] = []


def is_json() -> bool:
    """Whether JSON goes to stderr."""
    return bool(_handlers)


def set_up(format: LogFormat) -> None:
    """Log in this format, until `reset`."""
    if format is LogFormat.json:
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(JsonLines())
        _handlers.append(handler)
        events.LOGGER.addHandler(handler)
        events.LOGGER.setLevel(logging.INFO)
        events.LOGGER.propagate = False


def reset() -> None:
    """Text again, as at the beginning of a program."""
    while _handlers:
        events.LOGGER.removeHandler(_handlers.pop())
    events.about(None)


def note(text: str) -> None:
    """A line on stderr."""
    _say("note", text, logging.INFO)


def error(text: str) -> None:
    """A line on stderr, that something went wrong."""
    _say("error", text, logging.ERROR)


def _say(event: str, text: str, level: int) -> None:
    if is_json():
        events.tell(event, text, level)
    else:
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()


@contextmanager
def nothing_but_json() -> Iterator[None]:
    """With JSON, what anybody else writes to stderr is logged line by line."""
    if not is_json():
        yield
        return
    with redirect_stderr(_Lines()):
        yield
