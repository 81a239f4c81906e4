"""RFC 6455 as the Autobahn test suite knows it, on both event loops (cases 1 to 7 and 10).

9 is about speed, 12 and 13 about compression, which is not spoken here. allowed.txt says what ends otherwise
than OK, and why; anything else, also a case that gets better, has to be looked at.
"""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest
from tests.conformance import autobahn
from tests.conformance.echo import Server

CASES = ["1.*", "2.*", "3.*", "4.*", "5.*", "6.*", "7.*", "10.*"]
COUNT = 247
CLOSES = ("OK", "INFORMATIONAL")


def allowed() -> dict[str, list[str]]:
    """Return how each case may end that need not be OK."""
    lines = (Path(__file__).parent / "allowed.txt").read_text().splitlines()
    pairs = [line.split(maxsplit=1) for line in lines if not line.startswith("#")]
    return {case: how.split(", ") for case, how in pairs}


async def run(port: int, *cases: str) -> dict[str, tuple[str, str]]:
    """Run cases against the server on *port*; return the behaviour and the close of each."""
    command = [sys.executable, autobahn.__file__, f"ws://127.0.0.1:{port}/", *cases]
    program = await asyncio.create_subprocess_exec(*command, stdout=subprocess.PIPE)
    said, _ = await program.communicate()
    assert program.returncode == 0
    results = [line.split(" ", 2) for line in said.decode().splitlines()]
    return {case: (behaviour, close) for case, behaviour, close in results}


@pytest.mark.slow
async def test_every_case_ends_as_it_should(echo: Server) -> None:
    ended = await run(echo.port, *CASES)
    assert len(ended) == COUNT
    wrong = {
        case: (behaviour, close)
        for case, (behaviour, close) in ended.items()
        if behaviour not in allowed().get(case, ["OK"]) or (behaviour != "FAILED" and close not in CLOSES)
    }
    assert not wrong


async def test_the_suite_finds_what_is_wrong(echo: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.conformance.echo.Echo.receive", lambda echo, payload: None)
    ended = await run(echo.port, "1.1.1", "1.1.2", "2.1")
    assert {case: behaviour for case, (behaviour, _) in ended.items()} == {
        "1.1.1": "FAILED",
        "1.1.2": "FAILED",
        "2.1": "OK",
    }
