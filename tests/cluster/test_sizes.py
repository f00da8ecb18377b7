"""Proves that the sizes and prices in docs/cluster.md follow from its formula, and its rate from what was measured."""

import json
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "cluster.md").read_text()
SECONDS = {"s": 1, "min": 60, "h": 3600}


def number(text):
    return float(text.replace(",", ""))


def seconds(text):
    amount, unit = text.split()
    return number(amount) * SECONDS[unit]


def test_sizes_and_prices_follow_from_the_rate():
    rate = number(re.search(r"the rate is ([\d,]+) six-handed", PAGE)[1])
    price = number(re.search(r"an assumption, ([\d.]+) a core-hour", PAGE)[1])
    rows = re.findall(r"^\| ([\d,]+) \| ([\d.,]+) \| (.*?) \| (.*?) \| ([\d.]+) \|$", PAGE, re.MULTILINE)
    assert len(rows) == 4
    for hands, core_hours, on_100, on_1000, cost in rows:
        core_s = number(hands) / rate
        assert number(core_hours) == pytest.approx(core_s / 3600, rel=0.02)
        assert seconds(on_100) == pytest.approx(core_s / 100, rel=0.02)
        assert seconds(on_1000) == pytest.approx(core_s / 1000, rel=0.02, abs=0.5)
        assert number(cost) == pytest.approx(core_s / 3600 * price, rel=0.02, abs=0.005)


def test_the_rate_is_the_measured_one():
    """These machines vary by a third from day to day."""
    rate = number(re.search(r"the rate is ([\d,]+) six-handed", PAGE)[1])
    results = json.loads((DOCS / "performance.json").read_text())["results"]
    (measured,) = [r["value"] for r in results if r["name"] == "razzsim run, Ray workers: 2, first to last commit"]
    assert measured / 2 == pytest.approx(rate, rel=1 / 3)
