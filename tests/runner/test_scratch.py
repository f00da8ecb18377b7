"""Temporary folders: what killed processes left goes, what others put there is not touched."""

from pathlib import Path

from razzsim.runner.scratch import Scratch

PREFIX = "razzsim-x-"


def test_what_killed_ones_left_goes_with_the_next(tmp_path: Path) -> None:
    left = tmp_path / f"{PREFIX}1"
    left.mkdir()
    (left / "driver.lock").touch()
    (left / "rows").touch()
    living = Scratch(PREFIX, str(tmp_path))
    other = Scratch(PREFIX, str(tmp_path))
    assert {folder.name for folder in tmp_path.iterdir()} == {living.path.name, other.path.name}
    living.close()
    assert [folder.name for folder in tmp_path.iterdir()] == [other.path.name]


def test_links_of_others_are_not_followed(tmp_path: Path) -> None:
    """A lock that is a link to somebody's file, and a folder that is a link."""
    valued = tmp_path / "valued"
    valued.mkdir()
    (valued / "file").write_text("of value")
    trap = tmp_path / f"{PREFIX}1"
    trap.mkdir()
    (trap / "driver.lock").symlink_to(valued / "file")
    (tmp_path / f"{PREFIX}2").symlink_to(valued)
    (valued / "driver.lock").touch()
    Scratch(PREFIX, str(tmp_path)).close()
    assert (valued / "file").read_text() == "of value"
    assert trap.is_dir()


def test_what_is_kept_stays(tmp_path: Path) -> None:
    kept = Scratch(PREFIX, str(tmp_path))
    (kept.path / "result").write_text("of value")
    kept.keep()
    Scratch(PREFIX, str(tmp_path)).close()
    kept.close()
    assert (kept.path / "result").read_text() == "of value"
