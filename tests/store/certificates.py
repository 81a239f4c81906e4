"""Certificates for tests, made with the openssl command: an authority, and whom it vouches for."""

import shutil
import subprocess
from pathlib import Path
from typing import Final

NEW_KEY: Final = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")


class Authority:
    """Vouches for servers and clients; all its files lie in one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        self._run(
            "req", "-x509", *NEW_KEY, "-keyout", "ca.key", "-out", "ca.crt", "-subj", "/CN=an authority"
        )
        self.file = folder / "ca.crt"

    def vouch(self, name: str, *, at: str = "IP:127.0.0.1") -> tuple[Path, Path]:
        """Make a certificate for whoever is *at* a place, and return its file and that of its key."""
        (self.folder / "at").write_text(f"subjectAltName={at}\n")
        self._run("req", *NEW_KEY, "-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj", f"/CN={name}")
        self._run(
            *("x509", "-req", "-in", f"{name}.csr", "-out", f"{name}.crt", "-extfile", "at"),
            *("-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial"),
        )
        return self.folder / f"{name}.crt", self.folder / f"{name}.key"

    def _run(self, *arguments: str) -> None:
        assert shutil.which("openssl"), "the tests need openssl: apt-get install openssl"
        done = subprocess.run(["openssl", *arguments], cwd=self.folder, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
