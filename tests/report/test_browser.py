"""The page in a real browser: it never scrolls sideways, every text can be read, on paper nothing is cut."""

import pytest

from tests.browser.chromium import page
from tests.report.test_report import made

pytestmark = pytest.mark.slow
SIZES = ((1280, 900), (360, 740))
A4_WIDTH = 688
"""CSS pixels between margins of 14 mm."""
OPEN_ALL = "document.querySelectorAll('details').forEach(details => { details.open = true })"
LOW_CONTRAST = """
(() => {
  const channels = text => text.match(/[\\d.]+/g).map(Number);
  const light = rgb => rgb.slice(0, 3).map(c => c / 255)
    .map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, k) => sum + c * [0.2126, 0.7152, 0.0722][k], 0);
  const behind = element => {
    for (let e = element; e; e = e.parentElement) {
      const colour = channels(getComputedStyle(e).backgroundColor);
      if (colour.length === 3 || colour[3] > 0) return colour;
    }
    throw "no background";
  };
  const bad = [], ratios = [];
  for (const e of document.querySelectorAll("body *")) {
    if (![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim())) continue;
    const style = getComputedStyle(e);
    const [a, b] = [light(channels(e.closest("svg") ? style.fill : style.color)), light(behind(e))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    ratios.push(ratio);
    if (ratio < 4.5) bad.push([e.tagName, e.className, e.textContent.slice(0, 20), ratio]);
  }
  return {n: ratios.length, bad: bad.slice(0, 5)};
})()
"""
WIDER_THAN_PAPER = """
[...document.querySelectorAll("table, svg, pre")].filter(e => e.getBoundingClientRect().right > innerWidth + 1)
  .map(e => e.textContent.slice(0, 60))
"""


@pytest.fixture(scope="module")
def browser():
    with page() as opened:
        yield opened


@pytest.mark.parametrize("width", SIZES, ids=["wide", "phone"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["table", "round_robin", "grid"])
def test_it_can_be_read(browser, request, name, scheme, width):
    result = request.getfixturevalue(name)
    made(result)
    browser.show(result.parent / "page.html", *width, scheme)
    browser.evaluate(OPEN_ALL)
    assert browser.evaluate("document.scrollingElement.scrollWidth <= innerWidth")
    contrast = browser.evaluate(LOW_CONTRAST)
    assert contrast["n"] > 500
    assert contrast["bad"] == []
    paper = browser.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (paper == "rgb(255, 255, 255)") == (scheme == "light")
    assert browser.errors == []


@pytest.mark.parametrize("name", ["table", "round_robin", "grid"])
def test_on_paper_it_is_light_and_whole(browser, request, name):
    result = request.getfixturevalue(name)
    made(result)
    browser.show(result.parent / "page.html", A4_WIDTH, 900, "dark", media="print")
    browser.evaluate(OPEN_ALL)
    assert browser.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert browser.evaluate(LOW_CONTRAST)["bad"] == []
    assert browser.evaluate(WIDER_THAN_PAPER) == []
    assert browser.pdf().startswith(b"%PDF")
