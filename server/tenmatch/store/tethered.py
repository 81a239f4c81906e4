"""Run a program that gets SIGTERM when the thread that started this dies (Linux).

    python tethered.py PARENT PROGRAM ARGUMENT…

A program of its own, because hardly anything is safe between fork and exec where there are threads. The
setting outlives this program's own exec.
"""

import ctypes
import os
import signal
import sys
from typing import Final

PR_SET_PDEATHSIG: Final = 1


def main() -> None:
    """Become PROGRAM, unless PARENT is no more."""
    parent, program = int(sys.argv[1]), sys.argv[2]
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:  # it died before we could ask to be told
        sys.exit(1)
    os.execv(program, sys.argv[2:])


if __name__ == "__main__":
    main()
