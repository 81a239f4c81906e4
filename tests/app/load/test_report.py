"""What people are shown of a load."""

import io

import pytest
from rich.console import Console, RenderableType

from tenmatch.app.load.plan import Plan
from tenmatch.app.load.report import histogram, now, result, summary
from tenmatch.app.load.tally import Tally

PLAN = Plan(url="http://127.0.0.1:8765", rooms=3)


def shown(what: RenderableType) -> str:
    console = Console(file=io.StringIO(), width=200)
    console.print(what)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


@pytest.fixture
def tally() -> Tally:
    tally = Tally(moves=4, told=8, games=1, cpu_s=0.1, at_s=2)
    for ms in (0.1, 0.3, 0.4, 9):
        tally.took(ms / 1e3)
    return tally


def test_the_histogram_has_a_line_for_each_doubling(tally: Tally) -> None:
    lines = shown(histogram(tally)).splitlines()
    assert [line.split("ms")[0].strip() for line in lines] == [
        f"under {bound}" for bound in ("0.25", "0.5", "1", "2", "4", "8", "16")
    ]
    assert [line.count("█") for line in lines] == [20, 40, 0, 0, 0, 0, 20]
    assert [line.split()[-1] for line in lines] == ["25.0%", "50.0%", "0.0%", "0.0%", "0.0%", "0.0%", "25.0%"]


def test_a_load_without_faults_says_so(tally: Tally) -> None:
    said = shown(result(PLAN, tally))
    assert "3 rooms of two players, moves as fast as they are answered" in said
    assert "Every answer came" in said


def test_faults_are_shown_as_they_are(tally: Tally) -> None:
    tally.fault("room x: [red] is no markup")
    said = shown(result(PLAN, tally))
    assert "room x: [red] is no markup" in said
    assert "Every answer came" not in said
    assert "1 wrong" in shown(now(tally, 1, 2))


@pytest.mark.parametrize(("cpu_s", "warns"), [(1.9, True), (1.0, False)])
def test_a_load_that_was_the_bottleneck_says_so(tally: Tally, cpu_s: float, warns: bool) -> None:
    tally.cpu_s = cpu_s
    assert ("The load itself was busy" in shown(result(PLAN, tally))) is warns


def test_what_was_held_back_is_shown(tally: Tally) -> None:
    tally.hold_back("too_fast")
    assert "too_fast" in shown(result(PLAN, tally))


def test_machines_get_the_same_figures(tally: Tally) -> None:
    said = summary(PLAN, tally)
    assert (said["moves"], said["moves_per_s"], said["faults"]) == (4, 2, 0)
    assert said["latency_s"] == {
        "half": 0.000304,
        "90 %": 0.009088,
        "99 %": 0.009088,
        "99.9 %": 0.009088,
        "longest": 0.009088,
    }
