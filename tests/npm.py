"""What the JavaScript library and the AsyncAPI document are checked with, from npm.

It is fetched once, into `build/npm`.
"""

import fcntl
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Final

PLACE: Final = Path(__file__).parent.parent / "build" / "npm"
TRIES: Final = 4
TRY_S: Final = 45.0
PINNED: Final[Mapping[str, str]] = {
    "typescript": "5.9.3",  # reads the types in the comments
    "ws": "8.18.3",  # a WebSocket for Node before 22
    "@asyncapi/specs": "6.11.1",  # what an AsyncAPI document is
}


def modules() -> Path:
    """Return the `node_modules` in which they are, fetched if need be."""
    PLACE.mkdir(parents=True, exist_ok=True)
    with (PLACE / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # tests run in several processes
        marks = {PLACE / f"{name.replace('/', '-')}-{version}" for name, version in PINNED.items()}
        if not all(mark.exists() for mark in marks):
            _fetch()
            for mark in marks:
                mark.touch()
    return PLACE / "node_modules"


def _fetch() -> None:
    wanted = [f"{name}@{version}" for name, version in PINNED.items()]
    quiet = ["--no-package-lock", "--no-save", "--no-audit", "--no-fund"]
    command = ["npm", "install", "--prefix", str(PLACE), "--fetch-timeout", "20000", *quiet, *wanted]
    trouble = ""
    for _ in range(TRIES):  # a registry that stalls, or cannot now, is another a moment later
        try:
            run = subprocess.run(command, capture_output=True, text=True, timeout=TRY_S, check=False)
        except FileNotFoundError:
            message = "npm is missing: it fetches what checks the types (apt install npm)"
            raise AssertionError(message) from None
        except subprocess.TimeoutExpired:
            trouble = f"it took longer than {TRY_S:g} s"
            continue
        if run.returncode == 0:
            return
        trouble = run.stderr
    raise AssertionError(f"npm could not fetch {wanted} in {TRIES} times; the last one: {trouble}")
