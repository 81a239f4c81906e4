"""The table: a row for what was measured, against its target."""

import io

import pytest
from rich.console import Console
from tests.bench.measures import Results
from tests.bench.rows import TARGETS, Row, rows
from tests.bench.runs import Run, p99_ms
from tests.bench.table import doubts, show

from tenmatch.app.load.tally import bucket


def run(
    us_a_move: float, *, others: float = 0.0, core_busy: float = 0.5, latencies: dict[int, int] | None = None
) -> Run:
    """Return a run of 1,000 moves."""
    return Run(
        seconds=1,
        moves=1000,
        told=2000,
        games=10,
        server_s=us_a_move / 1e3,
        store_s=0.01,
        load_busy=0.4,
        core_busy=core_busy,
        others=others,
        latencies=latencies or {},
    )


def named(made: list[Row]) -> dict[str, Row]:
    return {row.name: row for row in made}


@pytest.mark.parametrize(("peer", "ratio", "verdict"), [(100, 0.5, "met"), (83, 50 / 83, "missed")])
def test_a_ratio_of_medians_is_held_against_the_target(peer: float, ratio: float, verdict: str) -> None:
    results = Results()
    results.runs["ours"] = [run(49), run(50), run(500)]
    results.runs["broadcast"] = [run(1), run(peer), run(peer)]
    row = named(rows(results))["move_broadcast"]
    assert row.ours == pytest.approx(50)
    assert row.beside == pytest.approx(peer)
    assert row.ratio == pytest.approx(ratio)
    assert row.verdict == verdict


@pytest.mark.parametrize(("us", "verdict"), [(150, "met"), (151, "missed")])
def test_where_nothing_stands_beside_it_the_figure_is_held_against_it(us: float, verdict: str) -> None:
    results = Results()
    results.values["us a return"] = [us]
    [row] = rows(results)
    assert (row.name, row.ours, row.ratio, row.verdict) == ("resume", us, None, verdict)


def test_what_was_not_measured_has_no_row() -> None:
    results = Results()
    assert rows(results) == []
    results.runs["ours"] = [run(50)]
    assert set(named(rows(results))) == {"store"}
    assert not results.values, "looking makes nothing"


def test_names_are_single() -> None:
    assert len({target.name for target in TARGETS}) == len(TARGETS)


def test_latencies_of_several_runs_are_taken_together() -> None:
    fast, slow = {bucket(1_000): 99}, {bucket(50_000): 1}
    assert p99_ms([run(50, latencies=fast)]) == pytest.approx(1, rel=0.02)
    assert p99_ms([run(50, latencies=fast), run(50, latencies=slow)]) == pytest.approx(1, rel=0.02)
    assert p99_ms([run(50, latencies=fast), *[run(50, latencies=slow)] * 2]) == pytest.approx(50, rel=0.02)


def test_whoever_else_was_there_is_named() -> None:
    results = Results()
    results.runs["ours"] = [run(50), run(50, others=0.2), run(50, core_busy=0.99)]
    results.runs["broadcast"] = [run(50)]
    said = list(doubts(results))
    assert len(said) == 2
    assert all(doubt.startswith("ours: in 1 of 3 runs") for doubt in said)
    assert "20%" in said[1]


def test_the_table_shows_it_all() -> None:
    results = Results()
    results.runs["ours"], results.runs["broadcast"] = [run(50, others=0.2)], [run(100)]
    console = Console(file=io.StringIO(), width=130)
    show(rows(results), results, console)
    assert isinstance(console.file, io.StringIO)
    shown = console.file.getvalue()
    for part in ("50 µs", "100 µs, Colyseus broadcast", "0.50", "≤ 0.6", "met", "used the server's core"):
        assert part in shown
