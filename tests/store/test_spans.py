"""Intervals of committed deals, held against the set of the deals."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from razzsim.store.spans import Spans

SPAN = st.tuples(st.integers(0, 40), st.integers(1, 8)).map(lambda span: (span[0], sum(span)))


@given(st.lists(SPAN), SPAN)
def test_spans_are_the_sets_of_their_deals(added: list[tuple[int, int]], asked: tuple[int, int]) -> None:
    spans, deals = Spans(), set()
    for span in added:
        spans.add(*span)
        deals |= set(range(*span))
    gaps = spans.gaps(*asked)
    assert {deal for gap in gaps for deal in range(*gap)} == set(range(*asked)) - deals
    assert all(first < end for first, end in gaps)
    assert all(end < first for (_, end), (first, _) in pairwise(gaps)), "gaps do not touch"
    assert {deal for part in spans.within(*asked) for deal in range(*part)} == set(range(*asked)) & deals
    assert spans.end == max(deals, default=-1) + 1
    assert spans.holds_any(*asked) == bool(set(range(*asked)) & deals)
    assert spans.prefix == next(deal for deal in range(50) if deal not in deals)
