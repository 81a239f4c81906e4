"""Who one is at each server, kept between visits so that seats and ratings stay one's own."""

import json
import os
from contextlib import suppress
from pathlib import Path


def place() -> Path:
    """Return the file; the XDG base directories say where such things live."""
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(state) / "tenmatch" / "tokens.json"


class Tokens:
    """The tokens, by server."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def get(self, server: str) -> str | None:
        """Return the token for a server, if one is kept."""
        token = self._read().get(server)
        return token if isinstance(token, str) else None

    def keep(self, server: str, token: str | None) -> None:
        """Keep a token, or forget it. Where nothing can be written one is somebody new the next time."""
        tokens = self._read()
        if tokens.get(server) == token:
            return
        tokens[server] = token
        with suppress(OSError):
            self._file.parent.mkdir(parents=True, exist_ok=True)
            new = self._file.with_suffix(".new")
            new.touch(mode=0o600)
            new.write_text(json.dumps(tokens))
            new.replace(self._file)

    def _read(self) -> dict[str, object]:
        try:
            tokens = json.loads(self._file.read_text())
        except (OSError, ValueError):
            return {}
        return tokens if isinstance(tokens, dict) else {}
