"""Proves that starting is safe: a Ray that fails says so and blocks nothing; the kernel is compiled once."""

import shutil

import pytest

from razzsim.engine import bulk, jit_cache
from razzsim.runner import ray_node, warm_up
from razzsim.runner.executor import ExecutorError
from razzsim.runner.ray_node import RayNode


def fail(error):
    def failing(*_arguments, **_options):
        raise error

    return failing


@pytest.mark.parametrize("kind", [OSError, Exception])
@pytest.mark.parametrize("broken", ["ray.init", "tempfile.mkdtemp"])
def test_a_ray_that_does_not_start(broken, kind, monkeypatch):
    monkeypatch.setattr(f"razzsim.runner.ray_node.{broken}", fail(kind("no room\nat all")))
    node = RayNode(2)
    with pytest.raises(ExecutorError, match=r"^Ray does not start: no room at all; --local plays without it$"):
        node.wait()
    node.close()
    assert not node._thread.is_alive()


def test_a_fault_of_ours_is_not_called_ray_s(monkeypatch):
    monkeypatch.setattr(ray_node.ray, "init", fail(KeyError("ours")))
    node = RayNode(2)
    with pytest.raises(KeyError, match="ours"):
        node.wait()
    node.close()


def test_a_ray_that_is_in_use_already(monkeypatch):
    monkeypatch.setattr(ray_node.ray, "is_initialized", lambda: True)
    with pytest.raises(ExecutorError, match="Ray is in use by this process already"):
        RayNode(2)


def test_nobody_waits_for_a_ray_that_is_not_wanted_any_more(monkeypatch, tmp_path):
    monkeypatch.setattr(ray_node.tempfile, "gettempdir", lambda: str(tmp_path))
    monkeypatch.setattr(ray_node.ray, "init", lambda **_options: None)
    RayNode(2).close()
    assert list(tmp_path.iterdir()) == []


def test_what_is_left_out_of_ray_is_there_and_comes_back():
    """A Ray that calls it otherwise would start slower, and this says so."""
    head = ray_node.ray._private.node.Node
    names = (*ray_node._IDLE, ray_node._LAST)
    before = {name: getattr(head, name) for name in names}
    with ray_node._quicker_head():
        assert all(getattr(head, name)(None, a=1) is None for name in ray_node._IDLE)
        assert getattr(head, ray_node._LAST) != before[ray_node._LAST]
    assert {name: getattr(head, name) for name in names} == before


def test_the_kernel_is_compiled_once_and_after_a_touch(monkeypatch, tmp_path):
    compiled = []
    monkeypatch.setattr(warm_up, "cache_folder", lambda: tmp_path)

    def kernel():
        compiled.append(1)

    monkeypatch.setattr(bulk, "kernel", kernel)
    for stamp, times in ((None, 1), (None, 1), ("1", 2), (None, 2), (b"\xff", 3), (None, 3)):
        if stamp:
            (tmp_path / "kernel").write_bytes(stamp if isinstance(stamp, bytes) else stamp.encode())
        warm_up.keep_kernel()
        assert len(compiled) == times


def test_compiled_code_is_kept_by_the_sources_it_is_made_of(tmp_path, monkeypatch):
    """A byte in the engine or in the strategies' package makes another folder; one elsewhere does not."""
    package = tmp_path / "razzsim"
    shutil.copytree(jit_cache._PACKAGE, package)
    ours = jit_cache.sources_hash.__wrapped__()
    monkeypatch.setattr(jit_cache, "_PACKAGE", package)
    assert jit_cache.sources_hash.__wrapped__() == ours
    (package / "store" / "writer.py").write_text("")
    assert jit_cache.sources_hash.__wrapped__() == ours
    hashes = {ours}
    for name in ("engine/bulk.py", "strategy/features.py"):
        (package / name).write_bytes((package / name).read_bytes() + b"\n")
        hashes.add(jit_cache.sources_hash.__wrapped__())
    assert len(hashes) == 3
