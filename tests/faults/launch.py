"""Starts a server one of whose guards is switched off, for the twins: launch.py GUARD serve …

Each function here switches one off, by its name. Nothing of this is in the server; run as a script, it needs
the package only.
"""

import asyncio
import sys
from collections.abc import Callable
from hashlib import sha1
from typing import Any, Final

from tenmatch.app.cli import main
from tenmatch.game.ids import Millis
from tenmatch.store import committer, log
from tenmatch.store.link import pack


def acknowledged_before_it_is_stored() -> None:
    """Tell a move at once, and write it a little later."""
    write = committer.Committer.append

    def append(self: Any, *append: Any, outcome: Callable[[Any], None], **how: Any) -> None:
        loop = asyncio.get_running_loop()
        loop.call_soon(outcome, log.Appended(Millis(self._store.clock.now())))
        loop.call_later(0.3, lambda: write(self, *append, outcome=lambda _: None, **how))

    committer.Committer.append = append  # type: ignore[method-assign]


def appended_wherever_the_log_ends() -> None:
    """Append without a look at where the log ends."""
    guard = b"if length ~= seq or actual ~= chain then"
    assert guard in log.APPEND.text
    log.APPEND.text = log.APPEND.text.replace(guard, b"if false then")
    log.APPEND.sha = sha1(log.APPEND.text, usedforsecurity=False).hexdigest().encode()
    log.APPEND.load = pack("SCRIPT", "LOAD", log.APPEND.text)


GUARDS: Final = (acknowledged_before_it_is_stored, appended_wherever_the_log_ends)

if __name__ == "__main__":
    {guard.__name__: guard for guard in GUARDS}[sys.argv.pop(1)]()
    main()
