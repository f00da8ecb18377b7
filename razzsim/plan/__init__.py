"""From a YAML experiment to a plan: validated, resolved, hashed, and arithmetic instead of a list."""

from typing import TYPE_CHECKING

from razzsim.lazy import lazily
from razzsim.plan.plan import Chunk, LineUp, Plan, PlannedEntrant, Shard

if TYPE_CHECKING:
    from razzsim.document import ConfigError
    from razzsim.plan.resolve import plan_from_file

__all__ = ["Chunk", "ConfigError", "LineUp", "Plan", "PlannedEntrant", "Shard", "plan_from_file"]

# A worker gets its plan whole: it needs neither YAML nor pydantic, 0.15 s.
__getattr__ = lazily(__name__, {"ConfigError": "razzsim.document", "plan_from_file": "razzsim.plan.resolve"})
