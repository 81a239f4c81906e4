"""Runs Autobahn cases against a WebSocket server and prints what came of each: case, behaviour, close.

A program of its own, because the suite changes the interpreter it runs in. `autobahn.py URL CASES…`
"""

import asyncio
import os
import sys

import kosoku

AT_ONCE = 8  # most of them wait for something not to happen


async def results(url: str, cases: list[str]) -> list[str]:
    """Return a line for each case."""
    try:
        ran = await kosoku.run_fuzzingclient(url, cases, concurrency=AT_ONCE)
    except kosoku.FailureError as failure:
        ran = failure.results
    return [f"{case.case_id} {case.behavior.value} {case.behavior_close.value}" for case in ran]


if __name__ == "__main__":
    sys.stdout.write("\n".join(asyncio.run(results(sys.argv[1], sys.argv[2:]))))
    sys.stdout.flush()
    os._exit(0)  # the suite's threads may outlive the run, and abort when the interpreter is taken down
