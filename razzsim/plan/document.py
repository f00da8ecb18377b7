"""A YAML text as plain data plus where each part of it stands, so that an error can point at it."""

import difflib
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import yaml

Path = tuple[str | int, ...]


class ConfigError(Exception):
    """Something in a configuration is not allowed; the text is `FILE:LINE:COL: KEY: VALUE is not allowed: WHAT IS`."""


@dataclass
class Document:
    """The parsed text of one file: data, and the (line, column) of every key and item by its path."""

    file: str
    data: Any
    places: dict[Path, tuple[int, int]] = field(default_factory=dict)
    raw: dict[Path, str] = field(default_factory=dict)

    def error(self, path: Path, what: str) -> ConfigError:
        """An error at a path, or at the nearest part of it that is in the file."""
        known = path
        while known and known not in self.places:
            known = known[:-1]
        line, column = self.places.get(known, (1, 1))
        key = dotted(path)
        return ConfigError(f"{self.file}:{line}:{column}: {key + ': ' if key else ''}{what}")

    def not_allowed(self, path: Path, allowed: str) -> ConfigError:
        """The error for a value: what stands there, and what may."""
        return self.error(path, f"{self.raw.get(path, 'this')} is not allowed: {allowed}")


def dotted(path: Path) -> str:
    """`('entrants', 0, 'name')` -> `entrants[0].name`."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """` (did you mean NAME?)`, or nothing when no known word is near."""
    near = difflib.get_close_matches(word, list(known), n=1, cutoff=0.5)
    return f" (did you mean {near[0]}?)" if near else ""


def read_document(text: str, file: str) -> Document:
    """Parse one YAML document. Raises ConfigError for bad syntax, a duplicate key, or anything but a mapping."""
    document = Document(file, None)
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
        if not isinstance(node, yaml.MappingNode):
            raise document.error((), "is not allowed: an experiment is a mapping of keys such as seed and entrants")
        document.data = _build(node, (), document, yaml.SafeLoader(""))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        at = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        raise ConfigError(f"{file}:{at[0]}:{at[1]}: is not YAML: {error.problem or error.context}") from None
    except yaml.YAMLError as error:  # a character that no YAML text may hold
        raise ConfigError(f"{file}:1:1: is not YAML: {' '.join(str(error).split())}") from None
    except RecursionError:
        raise ConfigError(f"{file}:1:1: is not allowed: nested too deeply") from None
    return document


def _build(node: yaml.Node, path: Path, document: Document, loader: yaml.SafeLoader) -> Any:
    document.places.setdefault(path, (node.start_mark.line + 1, node.start_mark.column + 1))
    if isinstance(node, yaml.MappingNode):
        return _build_mapping(node, path, document, loader)
    if isinstance(node, yaml.SequenceNode):
        return [_build(item, (*path, i), document, loader) for i, item in enumerate(node.value)]
    document.raw[path] = str(node.value)
    return loader.construct_object(node, deep=True)


def _build_mapping(node: yaml.MappingNode, path: Path, document: Document, loader: yaml.SafeLoader) -> dict[str, Any]:
    built: dict[str, Any] = {}
    for key_node, value_node in node.value:
        key = str(key_node.value) if isinstance(key_node, yaml.ScalarNode) else "?"
        here = (*path, key)
        if key in built:
            first = document.places[here][0]
            document.places[here] = (key_node.start_mark.line + 1, key_node.start_mark.column + 1)
            raise document.error(here, f"is there twice, first on line {first}: keep one of them")
        document.places[here] = (key_node.start_mark.line + 1, key_node.start_mark.column + 1)
        built[key] = None
        value_place = (value_node.start_mark.line + 1, value_node.start_mark.column + 1)
        built[key] = _build(value_node, here, document, loader)
        if isinstance(value_node, yaml.ScalarNode):
            document.places[here] = value_place
    return built
