"""An experiment as it travels: the config and its strategies' files, laid out as they lie here."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from razzsim.document import ConfigError, in_one_line, read_document
from razzsim.plan.experiment import Experiment
from razzsim.plan.plan import Plan
from razzsim.plan.resolve import is_path, plan_from_file, strategy_file


def pack(config: Path, plan: Plan, folder: Path) -> Path:
    """Copy an experiment and its strategies into an empty folder; returns where the config lies in it.

    plan: what config was read as; what is packed makes the same plan. Shipped strategies stay behind, for they are
    where razzsim is. Nothing is rewritten: paths between the files are the same there. Raises ConfigError.
    """
    files = [Path(os.path.abspath(file)) for file in (config, *_strategies(config))]
    root = Path(os.path.commonpath([file.parent for file in files]))
    for file in files:
        copy = folder / file.relative_to(root)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, copy)
    packed = files[0].relative_to(root)
    if plan_from_file(folder / packed) != plan:
        raise ConfigError(f"{config}: it or one of its strategies was changed meanwhile: try again")
    return packed


def _strategies(config: Path) -> Iterator[Path]:
    """Files beside or above the config that its entrants are read from. Raises ConfigError for an absolute path."""
    document = read_document(config.read_text(encoding="utf-8-sig"), str(config))
    for i, entrant in enumerate(Experiment.model_validate(document.data).entrants):
        name = entrant.strategy.partition(":")[0]
        if not is_path(name):
            continue
        if Path(name).is_absolute():
            what = f"{in_one_line(name)} is not allowed in what travels: a path from this file's folder"
            raise document.error(("entrants", i, "strategy"), what)
        yield strategy_file(entrant.strategy, config.parent)[0]
