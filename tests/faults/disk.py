"""A small disk of its own for whoever runs there (Linux): it can be filled, and nobody else sees it."""

import subprocess
from pathlib import Path
from typing import Final, Self

from tests.faults.network import NEEDED, OWN_USERS, THEIR_USERS

MOUNT: Final = 'mount -t tmpfs -o size="$1" none "$2" && echo mounted && exec cat'
PIECE: Final = bytes(1_024)


class Disk:
    """A file system in memory, in a mount namespace; `with` ends it. Programs run there as at any place."""

    address = "127.0.0.1"

    def __init__(self, path: Path, size: str) -> None:
        """Mount it at an empty folder.

        Args:
            size: As mount takes it: 1m.
        """
        path.mkdir()
        self.path = path
        self._holder = subprocess.Popen(
            ["unshare", *OWN_USERS, "--mount", "sh", "-c", MOUNT, "disk", size, str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert self._holder.stdout is not None
        if self._holder.stdout.readline() != b"mounted\n":
            raise AssertionError(f"{NEEDED}. It said: {self._end().decode()}")
        pid = str(self._holder.pid)
        self.inside = ("nsenter", "--target", pid, *THEIR_USERS, "--mount")
        """Begins a command that is to run there."""
        self._ballast = Path(f"/proc/{pid}/root{path.resolve()}") / "ballast"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failed: object) -> None:
        self._end()

    def _end(self) -> bytes:
        _, said = self._holder.communicate()
        return said

    def fill(self) -> None:
        """Leave no room for anything."""
        with self._ballast.open("ab", buffering=0) as ballast:
            while True:
                try:
                    ballast.write(PIECE)
                except OSError:
                    return

    def free(self) -> None:
        """Give back what was filled."""
        self._ballast.unlink()
