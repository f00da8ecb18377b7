"""What pydantic found wrong, in one line that says where, what stands there, and what is allowed."""

import math
from typing import Any, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from razzsim.document import ConfigError, Document, Path, did_you_mean
from razzsim.plan.experiment import NAME_RULE, Experiment


def config_error(document: Document, error: ValidationError) -> ConfigError:
    """The first problem by place in the file, with a count of the rest."""
    found = [(_path_in_file(document, detail), detail) for detail in error.errors()]
    inner = {path[:end] for path, _ in found for end in range(len(path))}
    problems = [problem for problem in found if problem[0] not in inner]  # a list is wrong for what is wrong in it
    problems.sort(key=lambda problem: _order(document, problem[0], problem[1]))
    path, detail = problems[0]
    first = _describe(document, path, detail)
    others = len({path for path, _ in problems}) - 1
    return ConfigError(f"{first} (and {others} more mistake{'s' * (others > 1)})") if others else first


def _order(document: Document, path: Path, detail: ErrorDetails) -> tuple[bool, tuple[int, int]]:
    return detail["type"] == "missing", document.places.get(path, (0, 0))


def _path_in_file(document: Document, detail: ErrorDetails) -> Path:
    """Pydantic's location without its own additions (the names of union members)."""
    path: Path = ()
    for part in detail["loc"]:
        if (*path, part) in document.places or (detail["type"] == "missing" and part == detail["loc"][-1]):
            path = (*path, part)
    return path


def _describe(document: Document, path: Path, detail: ErrorDetails) -> ConfigError:
    if detail["type"] == "extra_forbidden":
        known = _keys_at(path[:-1])
        hint = did_you_mean(str(path[-1]), known)
        return document.error(path, f"is not a key here{hint}; keys are {', '.join(known)}", at_key=True)
    if detail["loc"][-1] == "[key]":
        return document.error(path, f"is not a name: {NAME_RULE}", at_key=True)
    allowed = _allowed_at(path) or detail["msg"].lower()
    if detail["type"] == "missing":
        return document.error(path, f"is missing: {allowed}", at_key=True)
    if _looks_like_number(document.raw.get(path)) and isinstance(detail["input"], str):
        allowed += " (write numbers in plain digits)"
    return document.not_allowed(path, allowed)


def _looks_like_number(text: str | None) -> bool:
    try:
        return text is not None and math.isfinite(float(text))
    except ValueError:
        return False


def _models_at(path: Path) -> type[BaseModel] | None:
    """The model whose keys stand at a path."""
    model: type[BaseModel] | None = Experiment
    for part in path:
        if isinstance(part, int) or model is None:
            continue
        if part not in model.model_fields:
            return model if model is not Experiment else None  # a name under structures
        model = _model_in(model.model_fields[part].annotation)
    return model


def _model_in(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for part in get_args(annotation) if (found := _model_in(part))), None)


def _keys_at(path: Path) -> list[str]:
    model = _models_at(path)
    return list(model.model_fields) if model else []


def _allowed_at(path: Path) -> str | None:
    """What may stand at a path, by its field, or by the field it is an item of."""
    for end in range(len(path), 0, -1):
        model, key = _models_at(path[: end - 1]), path[end - 1]
        if model and isinstance(key, str) and key in model.model_fields:
            field = model.model_fields[key]
            extra = field.json_schema_extra
            return str(extra["item"]) if end < len(path) and isinstance(extra, dict) else field.description
    return None
