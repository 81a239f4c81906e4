"""The browser library's own tests: its pure parts, and its connection over scripted sockets.

They are written for `node --test` (tests/web/lib/); here they become part of the one test run.
"""

import shutil
import subprocess
from pathlib import Path

import pytest

LIBRARY_TESTS = sorted((Path(__file__).parent / "lib").glob("*.test.mjs"))
TIMEOUT_S = 120
OLDEST_NODE = 18


def node() -> str:
    """Return the path of Node, or fail and say how to get it."""
    found = shutil.which("node")
    assert found, (
        f"node is missing: the browser library is tested in Node {OLDEST_NODE} or later (apt install nodejs)"
    )
    return found


def test_node_is_new_enough() -> None:
    answer = subprocess.run(
        [node(), "--version"], capture_output=True, text=True, check=True, timeout=TIMEOUT_S
    )
    major = int(answer.stdout.strip().lstrip("v").split(".")[0])
    assert major >= OLDEST_NODE, f"node is too old: {answer.stdout.strip()}, {OLDEST_NODE} or later is needed"


def test_library_has_tests() -> None:
    assert len(LIBRARY_TESTS) >= 6


@pytest.mark.parametrize("file", LIBRARY_TESTS, ids=lambda file: file.name.removesuffix(".test.mjs"))
def test_browser_library(file: Path) -> None:
    command = [node(), "--test", str(file)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    assert run.returncode == 0, f"{run.stdout}\n{run.stderr}"
