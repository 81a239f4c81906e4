"""Counts the instructions of `tests.bench.costs`, and keeps the figures they are compared with.

    python -m tests.bench.instructions [--keep]

prints what each work costs, and with --keep makes it what is expected from now on (costs.json). On the build
of Python that this was kept with instructions are compared, on others multiples of a loop that all do alike.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

import msgpack
import msgspec
from msgspec import Struct
from tests.bench.costs import CALIBRATION, SOME, WORKS

FILE: Final = Path(__file__).with_name("costs.json")
ROOT: Final = Path(__file__).parents[2]


class Counts(Struct, frozen=True):
    """The instructions of one call of each work."""

    build: str  # of Python and what it calls into: on the same nearly the same is counted each time
    instructions: dict[str, int]

    @property
    def in_units(self) -> dict[str, float]:
        """How many times the calibration's each is."""
        unit = self.instructions[CALIBRATION]
        return {name: round(number / unit, 3) for name, number in self.instructions.items()}


def count() -> Counts:
    """Count them, which takes some seconds."""
    valgrind = shutil.which("valgrind")
    assert valgrind, "instructions are counted by valgrind: apt-get install valgrind (make tools)"
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out"
        subprocess.run(
            [
                *(valgrind, "--tool=callgrind", "--instr-atstart=no", "--dump-before=getppid"),
                *(f"--callgrind-out-file={out}", sys.executable, "-m", "tests.bench.costs"),
            ],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": "0"},
            check=True,
            capture_output=True,
        )
        parts = [_instructions(Path(f"{out}.{number}")) for number in range(1, 2 * len(WORKS) + 1)]
    # Between one call of getppid and the next there is in turn what came before a work, and the work.
    return Counts(build(), {name: part // SOME for name, part in zip(WORKS, parts[1::2], strict=True)})


def build() -> str:
    """Say what is counted on."""
    return f"{sys.version}, msgspec {msgspec.__version__}, msgpack {msgpack.version}"


def _instructions(part: Path) -> int:
    found = re.search(r"^totals: (\d+)$", part.read_text(), re.MULTILINE)
    assert found is not None, part.read_text()[:500]
    return int(found[1])


def kept() -> Counts:
    """Return what is expected."""
    return msgspec.json.decode(FILE.read_bytes(), type=Counts)


def keep(counts: Counts) -> None:
    """Make counts what is expected."""
    FILE.write_bytes(msgspec.json.format(msgspec.json.encode(counts), indent=1) + b"\n")


def main(words: list[str]) -> None:
    """Run as a command."""
    counts = count()
    for name, number in counts.instructions.items():
        sys.stdout.write(f"{name:16} {number:9,} {counts.in_units[name]:8.3f}\n")
    if words == ["--keep"]:
        keep(counts)


if __name__ == "__main__":
    main(sys.argv[1:])
