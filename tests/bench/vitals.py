"""What the kernel says of processes and cores."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Final

PAGE: Final = os.sysconf("SC_PAGE_SIZE")
_BUSY_NOT: Final = (3, 4)  # idle, and waiting for a disk, in a line of /proc/stat


def cpu_s(pids: Iterable[int]) -> float:
    """Return the CPU seconds that processes have used, user and system together.

    The scheduler's own count of them: utime and stime are the same in steps of 10 ms.
    """
    total = 0
    for pid in pids:
        for task in Path(f"/proc/{pid}/task").iterdir():
            total += int((task / "schedstat").read_text().split()[0])
    return total / 1e9


def memory(pids: Iterable[int]) -> int:
    """Return the bytes that processes have in memory."""
    return sum(int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE for pid in pids)


def core_times(core: int) -> tuple[int, int]:
    """Return for how long a core was busy, and for how long it was there, in ticks."""
    for line in Path("/proc/stat").read_text().splitlines():
        name, *ticks = line.split()
        if name == f"cpu{core}":
            times = [int(tick) for tick in ticks[:8]]  # what guests take is in them already
            return sum(times) - sum(times[column] for column in _BUSY_NOT), sum(times)
    raise AssertionError(f"there is no core {core}")
