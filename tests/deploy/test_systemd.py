"""The unit is one that systemd takes, and it keeps the server from everything that it does not need."""

import subprocess
import sys
from pathlib import Path

from tests.deploy.files import DEPLOY

UNIT = DEPLOY / "systemd" / "tenmatch.service"
EXPOSURE = 1.5  # of 10; what people would reach at all


def analyze(*arguments: object) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        ["systemd-analyze", *map(str, arguments)], capture_output=True, text=True, check=False
    )


def installed(folder: Path) -> Path:
    """Write the unit as if the program were where it says."""
    copy = folder / UNIT.name
    copy.write_text(UNIT.read_text().replace("/opt/tenmatch/bin/tenmatch", sys.executable))
    return copy


def test_systemd_takes_it(tmp_path: Path) -> None:
    done = analyze("verify", installed(tmp_path))
    assert (done.returncode, done.stderr) == (0, "")


def test_and_would_not_take_nonsense(tmp_path: Path) -> None:
    unit = installed(tmp_path)
    unit.write_text(unit.read_text().replace("KillMode=mixed", "KillMode=gently"))
    assert "kill mode" in analyze("verify", unit).stderr


def test_it_is_confined(tmp_path: Path) -> None:
    threshold = f"--threshold={int(10 * EXPOSURE)}"
    done = analyze("security", "--offline=yes", threshold, "--no-pager", installed(tmp_path))
    assert done.returncode == 0, done.stdout[-300:]
