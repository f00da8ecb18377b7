"""The small experiment of the program's own tests."""

from tests.cli.conftest import folder

__all__ = ["folder"]
