"""What every fault test has: the promise it takes its figures down for, and the table of all of them."""

from collections.abc import Generator, Iterator

import pytest
from tests.faults.deployment import Deployment
from tests.faults.promise import Figure, Promise, Twin, Verdict, table

FIGURES = pytest.StashKey[list[Figure]]()
TWIN = pytest.StashKey[Twin]()


def pytest_configure(config: pytest.Config) -> None:
    """Begin with no figures."""
    config.stash[FIGURES] = []


@pytest.fixture(scope="session")
def three_nodes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployment]:
    """Three nodes over one Redis, for `deployment`."""
    with Deployment(tmp_path_factory.mktemp("deployment"), drain_s=4) as three_nodes:
        yield three_nodes


@pytest.fixture
def deployment(three_nodes: Deployment) -> Iterator[Deployment]:
    """Three nodes over one Redis, for tests that leave them as they were, or dead."""
    yield three_nodes
    three_nodes.mend()


@pytest.fixture
def promise(request: pytest.FixtureRequest) -> Generator[Promise]:
    """Return what takes down the figures of this test, as its mark `promise` or `twin` says."""
    figures = request.config.stash[FIGURES]
    twin = request.node.get_closest_marker("twin")
    if twin is None:
        yield Promise(request.node.get_closest_marker("promise").args[0], figures)
        return
    watched = Twin(twin.args[0], figures)
    request.node.stash[TWIN] = watched
    yield watched


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, object, object]:
    """Run a test; a twin fails unless the missing guard was felt."""
    result = yield
    if pyfuncitem.get_closest_marker("twin"):
        twin = pyfuncitem.stash.get(TWIN, None)
        assert twin is None or twin.seen, "with the guard off every limit was kept: this measures nothing"
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Let the table say of tests that took no figure down what became of them."""
    report = yield
    marks = [mark for mark in (item.get_closest_marker("twin"), item.get_closest_marker("promise")) if mark]
    if marks and (report.when == "call" or report.failed):
        _take_down(item, marks[0], report)
    return report


def _take_down(item: pytest.Item, mark: pytest.Mark, report: pytest.TestReport) -> None:
    what = item.name.removeprefix("test_").replace("_", " ")
    figures, twin = item.config.stash[FIGURES], mark.name == "twin"
    if report.failed:
        broken: Verdict = "guard off: not seen" if twin else "broken"
        figures.append(Figure(mark.args[0], f"{what} ({report.when})", "failed", "", broken))
    elif report.passed and "promise" not in getattr(item, "fixturenames", ()):
        figures.append(Figure(mark.args[0], what, "", "", "guard off: seen" if twin else "kept"))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the table."""
    if figures := terminalreporter.config.stash.get(FIGURES, []):
        terminalreporter.write("\n" + table(figures, colours=terminalreporter.hasmarkup))
