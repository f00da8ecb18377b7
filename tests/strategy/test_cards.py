"""Proves that a card of a strategy saves the compiler and nothing else: what is wrong is said word for word as without.

A card is what `declaration_of` keeps of a strategy that compiles. Here most are of one text, which is compiled once.
"""

from concurrent.futures import ThreadPoolExecutor

import numba
import pytest

from razzsim.engine import games, hand
from razzsim.engine.jit_cache import cache_folder
from razzsim.plan import ConfigError
from razzsim.strategy import StrategyError, card, loader
from razzsim.strategy.card import declaration_of
from razzsim.strategy.source import Source
from tests.plan.experiments import changed, plan_of

TEXT = '''\
from razzsim.strategy import CALL, strategy


@strategy(share=0.5, level=3, bold=True, declares=("stateless",))
def probe(me, table, p):
    """Calls."""
    return CALL
'''
CONFIG = ("strategy: tight", "strategy: bad.py")


@pytest.fixture
def source():
    """A strategy without a card."""
    return forgotten("probe")


def forgotten(stem):
    known = Source(stem, TEXT)
    declaration_of.cache_clear()
    card._path(known).unlink(missing_ok=True)
    return known


@pytest.fixture
def forbidden(monkeypatch):
    """Call it, and from there on nothing is remembered and nothing may be compiled."""

    def compiled(source):
        raise AssertionError(f"{source.stem} was compiled again")

    def forbid():
        declaration_of.cache_clear()
        monkeypatch.setattr(loader, "compiled", compiled)

    return forbid


def facts(declared):
    return declared.name, declared.doc, [(k, type(v), v) for k, v in declared.params.items()], declared.declares


PROBE = ("probe", "Calls.", [("share", float, 0.5), ("level", int, 3), ("bold", bool, True)], ("stateless",))


def test_a_card_says_what_the_compiler_found_out(source, forbidden):
    assert facts(declaration_of(source)) == PROBE
    forbidden()
    assert facts(declaration_of(source)) == PROBE


def test_a_card_is_of_one_text_one_file_name_and_one_function(source, forbidden):
    declaration_of(source)
    forbidden()
    for other in (
        Source(source.stem, source.text + " "),
        Source("third", source.text),
        Source(source.stem, source.text, "probe"),
    ):
        with pytest.raises(AssertionError, match="was compiled again"):
            declaration_of(other)


@pytest.mark.parametrize("damage", ["empty", "half", "one letter", "binary", "another's", "folder"])
def test_a_damaged_card_is_made_again(damage, source, forbidden):
    declaration_of(source)
    path = card._path(source)
    whole = path.read_bytes()
    other = forgotten("other")
    declaration_of(other)
    path.unlink()
    if damage == "folder":
        path.mkdir()
    else:
        found = {
            "empty": b"",
            "half": whole[: len(whole) // 2],
            "one letter": whole.replace(b"0.5", b"0.6"),
            "binary": b"\xff" * 99,
            "another's": card._path(other).read_bytes(),
        }
        path.write_bytes(found[damage])
    declaration_of.cache_clear()
    assert facts(declaration_of(source)) == PROBE
    if damage == "folder":  # nothing can be written there, and nothing need be
        path.rmdir()
        return
    assert path.read_bytes() == whole
    forbidden()
    assert facts(declaration_of(source)) == PROBE


def test_a_place_that_cannot_be_written_costs_the_card_alone(source, monkeypatch, tmp_path):
    (tmp_path / "cards").write_text("no folder")
    monkeypatch.setattr(card, "cache_folder", lambda: tmp_path)
    assert facts(declaration_of(source)) == PROBE
    assert [path.name for path in tmp_path.iterdir()] == ["cards"]


def test_many_may_write_a_card_at_once(source):
    declared, path = declaration_of(source), card._path(source)

    def write_and_read(_):
        path.unlink(missing_ok=True)
        card._write(path, declared)
        return card._read(path)

    with ThreadPoolExecutor(8) as threads:
        found = [one for one in threads.map(write_and_read, range(200)) if one is not None]
    assert found
    assert {str(facts(one)) for one in found} == {str(PROBE)}
    assert [other for other in path.parent.iterdir() if other.suffix != ".json"] == []


def test_with_the_compiler_switched_off_there_is_no_card(monkeypatch, tmp_path):
    """Then everything "compiles"."""
    source = Source("probe", f"{TEXT}# {tmp_path}\n")
    monkeypatch.setattr(numba.config, "DISABLE_JIT", 1)
    assert facts(declaration_of(source)) == PROBE
    assert not card._path(source).exists()


BROKEN = {
    "syntax": ("return CALL", "return CALL +", "bad.py:7: is not Python: invalid syntax"),
    "name": ("return CALL", "return CAL", "bad.py:7: there is no CAL (did you mean CALL?)"),
    "field": ("return CALL", "return me.seta", "bad.py:7: there is no me.seta (did you mean seat?)"),
    "parameter": ("return CALL", "return p.levle", "bad.py:7: there is no p.levle (did you mean level?)"),
    "store": ("return CALL", "me.seat = 1", "bad.py:7: me.seat = ...: a strategy cannot write into its view"),
    "import": ("def probe", "import os\ndef probe", None),
    "type": ("return CALL", "return 0.5", None),
    "declares": ("stateless", "timeless", None),
    "no strategy": ("@strategy", "#", "bad.py: has no function decorated with @strategy"),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_strategy_has_no_card_and_is_reported_each_time(kind, tmp_path):
    """Also after its text was fine and had one."""
    old, new, said = BROKEN[kind]
    (tmp_path / "bad.py").write_text(TEXT)
    plan_of(changed(CONFIG), tmp_path)
    broken = TEXT.replace(old, new)
    (tmp_path / "bad.py").write_text(broken)
    messages = []
    for _ in range(2):
        declaration_of.cache_clear()
        with pytest.raises(ConfigError) as raised:
            plan_of(changed(CONFIG), tmp_path)
        messages.append(str(raised.value))
    assert messages[0] == messages[1]
    assert messages[0].startswith("x.yaml:10:15: entrants[0].strategy: bad.py:")
    assert said is None or messages[0].endswith(said)
    assert not card._path(Source("bad", broken)).exists()


@pytest.mark.parametrize("params", ["{levle: 1}", "{level: 1.5}", "{bold: 1}", "{share: true}"])
def test_wrong_parameters_are_reported_alike_with_and_without_a_card(params, tmp_path, forbidden):
    forgotten("bad")
    (tmp_path / "bad.py").write_text(TEXT)
    config = changed(("strategy: tight", f"strategy: bad.py\n    params: {params}"))
    messages = []
    for _ in range(2):
        with pytest.raises(ConfigError) as raised:
            plan_of(config, tmp_path)
        messages.append(str(raised.value))
        forbidden()
    assert messages[0] == messages[1]
    assert messages[0].startswith("x.yaml:11:")


def test_what_is_missing_in_a_file_with_a_card(source, forbidden):
    declaration_of(source)
    with pytest.raises(StrategyError, match=r"^has no @strategy named nope; it has probe$"):
        declaration_of(Source(source.stem, source.text, "nope"))


def test_kept_machine_code_lies_in_our_folder():
    kept = [*vars(hand).values(), *vars(games).values()]
    places = {function.stats.cache_path for function in kept if getattr(function, "stats", None)}
    places.discard(None)
    assert places
    assert all(place.startswith(str(cache_folder() / "numba")) for place in places)
