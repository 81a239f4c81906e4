"""A room as it was some time ago, for those who watch with a delay (option `spectator_delay_ms`).

They live at the last event that is as old as the delay, and so does all they are sent: events, snapshots, who
is there, what is said, the room's line in the list. What is younger is not held back on its way to them: it
is not there yet. A room that is younger than its delay is shown as it was created, with nobody in it.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from itertools import islice, takewhile
from typing import Final

from tenmatch.game.ids import Millis
from tenmatch.gateway.counts import Counts
from tenmatch.gateway.held import Held
from tenmatch.gateway.shown import Shown
from tenmatch.protocol import to_client
from tenmatch.protocol.stored import Entry
from tenmatch.store.clock import StoreClock

SPOKEN: Final = 256  # messages kept until they are old enough; the oldest give way


class Past(Shown):
    """What *now* was *delay_ms* ago, as time goes on."""

    def __init__(
        self,
        now: Held,
        delay_ms: int,
        clock: StoreClock,
        *,
        counts: Counts,
        moved: Callable[[], None],
        gone_wrong: Callable[[Exception], None],
    ) -> None:
        """Show what is old enough.

        Args:
            moved: Called when it has gone on.
            gone_wrong: Called when it cannot: there is a bug in it.
        """
        self._now = now
        self._delay_ms = delay_ms
        self._clock = clock
        self._moved = moved
        self._gone_wrong = gone_wrong
        self._timer: asyncio.TimerHandle | None = None
        self._spoken: deque[tuple[Millis, to_client.Chat | to_client.Presence]] = deque(maxlen=SPOKEN)
        super().__init__(now.room, self._old_enough(0) or now.entries[:1], counts)
        self._wait()

    def say(self, message: to_client.Chat | to_client.Presence) -> None:
        """Say it when it is old enough."""
        self._spoken.append((self._clock.now(), message))
        self._wait()

    def follow(self) -> None:
        """Hear that *now* has gone on."""
        if self._timer is None:
            self._wait()

    def begin_anew(self) -> None:
        """Hear that *now* holds another log than before."""
        self.reset(self._old_enough(0) or self._now.entries[:1])
        self._wait()

    def close(self) -> None:
        """Show nothing more."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None

    def _old_enough(self, after: int) -> Sequence[Entry]:
        """Return the entries after the first *after* that may be shown by now."""
        until = self._clock.now() - self._delay_ms
        return list(takewhile(lambda entry: entry.event.at <= until, islice(self._now.entries, after, None)))

    def _ring(self) -> None:
        self._timer = None
        try:
            self._go_on()
        except Exception as error:  # the outermost frame of what watchers see later
            self._gone_wrong(error)

    def _go_on(self) -> None:
        entries = self._old_enough(len(self.entries))
        if entries:
            self.state = self.folded(entries)
            self.entries.extend(entries)
            self.audience.tell()
            self._moved()
        while self._spoken and self._spoken[0][0] + self._delay_ms <= self._clock.now():
            super().say(self._spoken.popleft()[1])
        self._wait()

    def _wait(self) -> None:
        """Go on when the next event, or the next word, is old enough."""
        moments = [self._spoken[0][0]] if self._spoken else []
        if len(self.entries) < len(self._now.entries):
            moments.append(self._now.entries[len(self.entries)].event.at)
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if moments:
            wait = max(min(moments) + self._delay_ms + 1 - self._clock.now(), 0)
            self._timer = asyncio.get_running_loop().call_later(wait / 1000, self._ring)
