"""A YAML text as plain data plus where each part of it stands, so that an error can point at it."""

import difflib
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Self

import yaml

Path = tuple[str | int, ...]
Place = tuple[int, int]
"""Line and column, from 1."""

_MOST_VALUES = 100_000
"""More than any experiment has; aliases of aliases would fill the memory with less text."""
_SYNTAX = {
    "'\\t' that cannot start": "a tab stands where only spaces may",
    "mapping values are not allowed here": "a second colon in one line, or a wrong indentation",
}
"""Words of PyYAML for the commonest slips, and ours."""
_WORDS = {"true": True, "false": False, "null": None, "~": None, "": None}
_WHOLE = re.compile(r"[-+]?(0|[1-9][0-9]{0,39})")
_DECIMAL = re.compile(r"[-+]?[0-9]{1,40}\.[0-9]{0,40}")
_UNTAGGED = {
    yaml.ScalarNode: "tag:yaml.org,2002:str",
    yaml.SequenceNode: "tag:yaml.org,2002:seq",
    yaml.MappingNode: "tag:yaml.org,2002:map",
}


class ConfigError(Exception):
    """Something in a configuration is not allowed; the text is `FILE:LINE:COL: KEY: VALUE is not allowed: WHAT IS`.

    place, what: where in its file, and the text without file and place.
    """

    def __init__(self, text: str, place: Place = (0, 0), what: str = "") -> None:
        super().__init__(text)
        self.place, self.what = place, what or text

    @classmethod
    def at(cls, file: str, place: Place, what: str) -> Self:
        """The error for something in a file."""
        return cls(f"{file}:{place[0]}:{place[1]}: {what}", place, what)


class _Loader(yaml.SafeLoader):
    """Takes every plain word as text, so that YAML 1.1 turns none of ours into a date, an octal or a yes."""

    yaml_implicit_resolvers = {}  # noqa: RUF012 - PyYAML wants it on the class


@dataclass
class Document:
    """The parsed text of one file: data, and where every key and every value of it stands, by its path."""

    file: str
    data: Any
    places: dict[Path, Place] = field(default_factory=dict)
    key_places: dict[Path, Place] = field(default_factory=dict)
    raw: dict[Path, str] = field(default_factory=dict)

    def error(self, path: Path, what: str, *, at_key: bool = False) -> ConfigError:
        """An error at a path, or at the nearest part of it that is in the file; at_key: at its key, not its value."""
        known = path
        while known and known not in self.places:
            known = known[:-1]
        place = (self.key_places if at_key else self.places).get(known, self.places.get(known, (1, 1)))
        key = dotted(path)
        return ConfigError.at(self.file, place, f"{key + ': ' if key else ''}{what}")

    def not_allowed(self, path: Path, allowed: str) -> ConfigError:
        """The error for a value: what stands there, and what may."""
        found = self.raw.get(path, "this")
        return self.error(path, f"{found} is not allowed: {allowed}" if found else f"is empty: {allowed}")


def in_one_line(text: str, at_most: int = 60) -> str:
    """A user's text as part of a message: one line, not too long, nothing invisible in it."""
    shown = "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)
    return shown if len(shown) <= at_most else shown[: at_most - 3] + "..."


def dotted(path: Path) -> str:
    """`('entrants', 0, 'name')` -> `entrants[0].name`."""
    text = ""
    for part in path:
        shown = in_one_line(str(part))
        text += f"[{part}]" if isinstance(part, int) else f".{shown}" if text else shown
    return text


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """` (did you mean NAME?)`, or nothing when no known word is near."""
    near = difflib.get_close_matches(word, list(known), n=1)
    return f" (did you mean {near[0]}?)" if near else ""


def read_document(
    text: str, file: str, wanted: str = "an experiment is a mapping of keys such as seed and entrants"
) -> Document:
    """Parse one YAML document; wanted: what it should be, for the error.

    Raises ConfigError for bad syntax, a duplicate key, or anything but a mapping.
    """
    document = Document(file, None)
    try:
        node = yaml.compose(text, Loader=_Loader)
        if not isinstance(node, yaml.MappingNode):
            found = "the file is empty" if node is None else "this is not allowed"
            raise document.error((), f"{found}: {wanted}")
        document.data = _build(node, (), document)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        at = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        words = ", ".join(part for part in (error.context, error.problem) if part)
        words = next((ours for theirs, ours in _SYNTAX.items() if theirs in words), words)
        raise ConfigError.at(file, at, f"is not YAML: {words}") from None
    except yaml.reader.ReaderError as error:
        before = text[: error.position].split("\n")
        at = (len(before), len(before[-1]) + 1)
        raise ConfigError.at(file, at, f"is not YAML: no character {error.character} in it") from None
    except RecursionError:
        raise ConfigError.at(file, (1, 1), "is not allowed: nested too deeply") from None
    return document


def _place(node: yaml.Node) -> Place:
    return node.start_mark.line + 1, node.start_mark.column + 1


def _build(node: yaml.Node, path: Path, document: Document) -> Any:
    document.places[path] = _place(node)
    if len(document.places) > _MOST_VALUES:
        raise document.error((), f"is not allowed: more than {_MOST_VALUES:,} values")
    if node.tag != _UNTAGGED[type(node)]:
        raise document.error(path, "a tag (!) is not allowed: the value alone")
    if isinstance(node, yaml.MappingNode):
        document.raw[path] = "a mapping" if node.value else "an empty mapping"
        return _build_mapping(node, path, document)
    if isinstance(node, yaml.SequenceNode):
        document.raw[path] = "a list" if node.value else "an empty list"
        return [_build(item, (*path, i), document) for i, item in enumerate(node.value)]
    assert isinstance(node, yaml.ScalarNode)
    text = str(node.value)
    if node.style is not None:
        document.raw[path] = in_one_line(f"'{text}'")
        return text
    document.raw[path] = in_one_line(text)
    return _plain_value(text)


def _plain_value(text: str) -> str | int | float | bool | None:
    """What text without quotes means: true, false, null, plain digits, or itself."""
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    if _WHOLE.fullmatch(text):
        return int(text)
    return float(text) if _DECIMAL.fullmatch(text) else text


def _build_mapping(node: yaml.MappingNode, path: Path, document: Document) -> dict[str, Any]:
    built: dict[str, Any] = {}
    for key_node, value_node in node.value:
        if not isinstance(key_node, yaml.ScalarNode):
            document.places[path] = _place(key_node)
            raise document.error(path, "a list or mapping as key is not allowed: a word")
        key = str(key_node.value)
        here = (*path, key)
        if key in built:
            first = document.key_places[here][0]
            document.key_places[here] = _place(key_node)
            raise document.error(here, f"is there twice, first on line {first}: keep one of them", at_key=True)
        document.key_places[here] = _place(key_node)
        built[key] = None
        built[key] = _build(value_node, here, document)
        if isinstance(value_node, yaml.CollectionNode) and not value_node.flow_style:
            document.places[here] = document.key_places[here]  # a block begins lines below the key it belongs to
    return built
