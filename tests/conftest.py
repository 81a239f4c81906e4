"""What is in every run, and how `make test` shares it between processes that mostly wait: by files.

What measures stays in one process, and goes before all others where they want a core at the same time.
Another begins with the pages, which draw; others draw only when nothing else is left to do.

What makes sense only at length is marked `full` and left out; `--hypothesis-profile=full` does all.
"""

import os
import time
from typing import Final

import pytest
from tests.effort import NICE, full, give_way, offer_all
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling
from xdist.workermanage import WorkerController

FAULTS: Final = "tests/faults/"  # measures
PAGE: Final = "tests/web/page/"  # draws
BEGUN = pytest.StashKey[bool]()  # whether this process has run a test

offer_all()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is too long, and begin with files in which something takes long."""
    long = [] if full() else [item for item in items if item.get_closest_marker("full")]
    if long:
        config.hook.pytest_deselected(items=long)
        items[:] = [item for item in items if item not in long]
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)


class Sharing(LoadScopeScheduling):  # type: ignore[misc]  # xdist tells no types
    """Gives each process whole files, one after the other."""

    def __init__(self, config: pytest.Config, log: Producer) -> None:
        super().__init__(config, log)
        self.began = time.monotonic()
        self.ended: dict[str, float] = {}  # s; when a process had nothing more to do

    def _split_scope(self, nodeid: str) -> str:
        return nodeid.partition("::")[0]

    def _next_for(self, node: WorkerController) -> str | None:
        """Return the file that a process gets next, if there is any for it."""
        number = self.nodes.index(node)
        wanted = {0: (FAULTS, "", PAGE), 1: (PAGE, "")}.get(number, ("", PAGE))
        for place in wanted:
            for file in self.workqueue:
                if file.startswith(place) if place else not file.startswith((FAULTS, PAGE)):
                    return str(file)
        return None

    def _assign_work_unit(self, node: WorkerController) -> None:
        if (file := self._next_for(node)) is not None:
            self.workqueue.move_to_end(file, last=False)
            super()._assign_work_unit(node)

    def _reschedule(self, node: WorkerController) -> None:
        if self.workqueue and self._next_for(node) is None:
            node.shutdown()
        else:
            super()._reschedule(node)

    def mark_test_complete(self, node: WorkerController, item_index: int, duration: float = 0) -> None:
        """Note that a test is done, and when."""
        super().mark_test_complete(node, item_index, duration)
        self.ended[node.gateway.id] = time.monotonic() - self.began


SHARING = pytest.StashKey[Sharing]()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> Sharing:
    """Share the tests so. Groups of xdist's own (3.8) are lost on pytest 9.2, which names tests otherwise."""
    config.stash[SHARING] = Sharing(config, log)
    return config.stash[SHARING]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say when each process was done: those that share the work well are so at the same time."""
    if (sharing := terminalreporter.config.stash.get(SHARING, None)) is not None:
        ends = ", ".join(f"{process} {seconds:.0f} s" for process, seconds in sorted(sharing.ended.items()))
        terminalreporter.write_line(f"processes were done after: {ends}")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Let the processes that do not begin with what measures give way to the one that does."""
    if hasattr(item.config, "workerinput") and not item.config.stash.get(BEGUN, False):
        if item.nodeid.startswith(FAULTS):
            os.setsid()  # else the kernel shares the cores out between sessions, of which it had but a part
        else:
            os.nice(NICE)
            give_way()
    item.config.stash[BEGUN] = True


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Number tests of bytes: masks are random, and all processes must know a test by the same name."""
    return argname if isinstance(val, bytes) else None
