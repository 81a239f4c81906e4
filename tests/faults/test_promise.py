"""The table tells kept from broken, and a twin fails that feels nothing."""

import pytest
from tests.faults.promise import Figure, Promise, Twin, table


def test_a_limit_that_is_kept_is_taken_down() -> None:
    figures: list[Figure] = []
    promise = Promise("P7", figures)
    promise.at_most("back at head, p99", 1.2345678, 2, "s")
    promise.at_least("moves", 12_345, 300)
    promise.equals("lost", 0, 0)
    assert [(figure.measured, figure.limit, figure.verdict) for figure in figures] == [
        ("1.235 s", "≤ 2 s", "kept"),
        ("12,345", "≥ 300", "kept"),
        ("0", "0", "kept"),
    ]


@pytest.mark.parametrize(
    ("check", "measured", "limit"), [("at_most", 3, 2), ("at_least", 1, 2), ("equals", "a", "b")]
)
def test_a_limit_that_is_broken_fails_the_test_and_is_taken_down(
    check: str, measured: object, limit: object
) -> None:
    figures: list[Figure] = []
    with pytest.raises(AssertionError, match="P7 is broken: doubled"):
        getattr(Promise("P7", figures), check)("doubled", measured, limit)
    assert [figure.verdict for figure in figures] == ["broken"]


def test_a_twin_goes_on_and_remembers_whether_anything_was_broken() -> None:
    figures: list[Figure] = []
    twin = Twin("P7", figures)
    twin.equals("lost", 0, 0)
    assert not twin.seen
    twin.equals("doubled", 3, 0)
    assert twin.seen
    assert [figure.verdict for figure in figures] == ["guard off: kept all the same", "guard off: seen"]


def test_the_table_goes_by_the_number_of_the_promise() -> None:
    figures = [
        Figure("P10", "ten", "", "", "kept"),
        Figure("P9", "nine, guard off", "", "", "guard off: seen"),
        Figure("P9", "nine", "", "", "kept"),
    ]
    drawn = table(figures, colours=False)
    places = [drawn.index(what) for what in ("nine ", "nine, guard off", "ten")]
    assert places == sorted(places)
    assert "\x1b" not in drawn
