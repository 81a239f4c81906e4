"""Both verifiers of records, and what each says: the server's own, and the browser library's in Node."""

import json
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from tenmatch.protocol.verifier import Wrong, check

JUDGE = Path(__file__).parent / "lib" / "judge.mjs"


class Verdict(NamedTuple):
    """What a verifier finds wrong with a record."""

    event: int | None
    reason: str


def ours(record: Any) -> Verdict | None:
    """Return what the server's verifier says; None: the record proves its game."""
    found = check(json.dumps(record).encode())
    return Verdict(found.event, found.text) if isinstance(found, Wrong) else None


def browsers(records: Iterable[Any]) -> list[Verdict | None]:
    """Return what the browser library's verifier says of each record."""
    node = shutil.which("node")
    assert node, "node is missing: the browser library is tested in Node 18 or later (apt install nodejs)"
    lines = "".join(json.dumps(record) + "\n" for record in records)
    run = subprocess.run(
        [node, str(JUDGE)], input=lines, capture_output=True, text=True, timeout=300, check=False
    )
    assert run.returncode == 0, run.stderr
    found = map(json.loads, run.stdout.splitlines())
    return [wrong and Verdict(*wrong) for wrong in found]
