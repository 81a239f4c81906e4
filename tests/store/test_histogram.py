"""Histograms: where a value counts."""

import pytest

from tenmatch.store.histogram import Histogram


@pytest.mark.parametrize(
    ("value", "place"), [(0.0, 0), (0.9, 0), (1.0, 0), (1.1, 1), (2.0, 1), (2.1, 2), (1e9, 2)]
)
def test_a_value_counts_where_no_lower_bound_holds_it(value: float, place: int) -> None:
    histogram = Histogram([1, 2])
    histogram.observe(value)
    assert [number for number, count in enumerate(histogram.counts) if count] == [place]
    assert histogram.total == value
