"""docs/notebook.ipynb runs from its first cell to its last and says what it promises; outputs are not committed."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

FILE = Path(__file__).parents[1] / "docs" / "notebook.ipynb"
CONFIG = """\
seed: 3
table: {seats: 2, ante: 3, bring_in: 5, small_bet: 20}
entrants: [{strategy: thief}, {strategy: tight}, {strategy: station}]
schedule: round_robin
deals: 500
"""


def code_cells(notebook: dict[str, Any]) -> list[dict[str, Any]]:
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def test_the_notebook_is_committed_without_outputs() -> None:
    cells = code_cells(json.loads(FILE.read_text("utf-8")))
    assert len(cells) > 3
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in cells)


@pytest.mark.slow
def test_the_notebook_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a folder of its own, on a small experiment of the name that it uses."""
    import nbformat
    from nbclient import NotebookClient

    (tmp_path / "configs").mkdir()
    (tmp_path / "configs" / "quickstart.yaml").write_text(CONFIG)
    monkeypatch.setenv("MPLBACKEND", "module://matplotlib_inline.backend_inline")
    monkeypatch.setenv("MPLCONFIGDIR", str(tmp_path / "matplotlib"))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    notebook = nbformat.read(FILE, as_version=4)
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()

    outputs = [output for cell in code_cells(notebook) for output in cell["outputs"]]
    assert not [output for output in outputs if output["output_type"] == "error"]
    said = "".join(output.get("text", "") for output in outputs)
    assert "1. thief" in said
    assert "BB/100 [" in said
    assert "thief against station: +" in said
    assert "station    street 4: 0.0%" in said
    shown = [output["data"] for output in outputs if "data" in output]
    assert any("<razzsim run " in data["text/plain"] for data in shown)
    assert any("'chunks': " in data["text/plain"] for data in shown)
    assert any("image/png" in data for data in shown)
    assert {"configs", "runs", "standings.png"} <= set(os.listdir(tmp_path))
    assert os.listdir(tmp_path / "runs") == ["quickstart.duckdb"]
