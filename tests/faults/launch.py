"""Starts a server one of whose guards is switched off, for the twins: launch.py GUARD serve …

Each function here switches one off, by its name. Nothing of this is in the server; run as a script, it needs
the package only.
"""

import asyncio
import signal
import sys
import time
from collections.abc import Callable, Sequence
from hashlib import sha1
from typing import Any

from tenmatch.app import serve, watchdog
from tenmatch.app.cli import main
from tenmatch.game.ids import Millis, Seq
from tenmatch.gateway import news, rounds, table
from tenmatch.protocol import stored
from tenmatch.store import committer, log, subscriber
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
    """Append moves without a look at where the log ends, once a game of two has begun."""
    guard = b"if length ~= seq or actual ~= chain then"
    assert guard in log.APPEND.text
    log.APPEND.text = log.APPEND.text.replace(
        guard, b"if (ARGV[5] == '' or seq < 7) and (length ~= seq or actual ~= chain) then"
    )
    log.APPEND.sha = sha1(log.APPEND.text, usedforsecurity=False).hexdigest().encode()
    log.APPEND.load = pack("SCRIPT", "LOAD", log.APPEND.text)


def never_compared_with_the_log() -> None:
    """Do not look whether logs have gone on without a word."""

    async def heads(self: Any) -> None:
        pass

    rounds.Rounds.heads = heads  # type: ignore[method-assign]


def never_in_doubt() -> None:
    """Take a subscription that is made anew for one that never was gone; and look at no log by itself."""
    never_compared_with_the_log()
    news.News.on_doubt = lambda self, room: None  # type: ignore[method-assign]


def taken_as_it_comes() -> None:
    """Take what the feed brings for what comes next, whatever it is."""

    def heed(self: Any, first: Seq, raws: Sequence[bytes]) -> None:
        after = self.head.seq + 1
        self.fold([stored.Entry(Seq(at), *stored.unseal(raw), raw) for at, raw in enumerate(raws, after)])

    table.Table._heed = heed  # type: ignore[method-assign]


def never_probed() -> None:
    """Be content with a server that answers, whether it delivers anything or not."""
    subscriber.Subscriber._watch = lambda self, begun: None  # type: ignore[method-assign]
    subscriber.Subscriber.healthy = True  # type: ignore[assignment, method-assign]


def ended_at_once() -> None:
    """End without waiting for anything or anyone."""

    async def drain(node: Any, server: Any, spread_s: float) -> None:
        for connection in tuple(node.handshake.connections):
            connection.abort()

    serve.drain = drain  # type: ignore[attr-defined]


def held_up_on_demand() -> None:
    """Let SIGUSR1 hold the event loop up for 0.3 s, and SIGUSR2 for a minute."""
    enter = watchdog.Watchdog.__enter__

    def entered(self: Any) -> Any:
        for number, seconds in ((signal.SIGUSR1, 0.3), (signal.SIGUSR2, 60.0)):
            asyncio.get_running_loop().add_signal_handler(number, _hold_up, seconds)
        return enter(self)

    watchdog.Watchdog.__enter__ = entered  # type: ignore[method-assign]


def _hold_up(seconds: float) -> None:
    time.sleep(seconds)


def held_up_and_not_watched() -> None:
    """Do so, and let nobody watch."""
    watchdog.Watchdog.__enter__ = lambda self: self  # type: ignore[method-assign]
    watchdog.Watchdog.__exit__ = lambda self, *failed: None  # type: ignore[method-assign]
    held_up_on_demand()


if __name__ == "__main__":
    globals()[sys.argv.pop(1)]()
    main()
