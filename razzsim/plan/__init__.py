"""From a YAML experiment to a plan: validated, resolved, hashed, and arithmetic instead of a list."""

from razzsim.plan.document import ConfigError
from razzsim.plan.plan import Chunk, LineUp, Plan, PlannedEntrant
from razzsim.plan.resolve import plan_from_file

__all__ = ["Chunk", "ConfigError", "LineUp", "Plan", "PlannedEntrant", "plan_from_file"]
