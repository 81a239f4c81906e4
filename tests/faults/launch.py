"""Starts a server one of whose guards is switched off, for the twins: launch.py GUARD serve …

Each function here switches one off, by its name. Nothing of this is in the server; run as a script, it needs
the package only.
"""

import asyncio
import signal
import sys
import time
from collections.abc import Sequence
from hashlib import sha1
from typing import Any

from tenmatch.app import watchdog
from tenmatch.app.cli import main
from tenmatch.app.serving import process
from tenmatch.game import seat
from tenmatch.game.ids import Millis, RoomId, Seq
from tenmatch.gateway import attendance, connection, fanout, news, rounds, shown, table
from tenmatch.gateway.desk import desk, entrance
from tenmatch.protocol import stored
from tenmatch.store import clock, committer, feed, log, players, presence, published, subscriber
from tenmatch.store.link import Script, pack


def acknowledged_before_it_is_stored() -> None:
    """Tell a move at once, and write it seconds later; once a game of two has begun."""
    write = committer.Committer.append

    def append(self: Any, room: RoomId, head: log.Head, *rest: Any, outcome: Any, **how: Any) -> None:
        if head.seq < 7:
            write(self, room, head, *rest, outcome=outcome, **how)
            return
        loop = asyncio.get_running_loop()
        loop.call_soon(outcome, log.Appended(Millis(self._store.clock.now())))
        loop.call_later(5.0, lambda: write(self, room, head, *rest, outcome=lambda _: None, **how))

    committer.Committer.append = append  # type: ignore[method-assign]  # the guard is off


def appended_wherever_the_log_ends() -> None:
    """Append moves without a look at where the log ends, once a game of two has begun."""
    guard = b"if length ~= seq or actual ~= chain then"
    _rewrite(log.APPEND, guard, b"if (ARGV[5] == '' or seq < 7) and (length ~= seq or actual ~= chain) then")


def joined_wherever_the_log_ends() -> None:
    """Append without a look at where the log ends, as soon as there is one."""
    guard = b"if length ~= seq or actual ~= chain then"
    _rewrite(log.APPEND, guard, b"if seq < 2 and (length ~= seq or actual ~= chain) then")


def _rewrite(script: Script, old: bytes, new: bytes) -> None:
    assert old in script.text
    script.text = script.text.replace(old, new)
    script.sha = sha1(script.text, usedforsecurity=False).hexdigest().encode()
    script.load = pack("SCRIPT", "LOAD", script.text)


def never_compared_with_the_log() -> None:
    """Do not look whether logs have gone on without a word."""

    async def heads(self: Any) -> None:
        pass

    rounds.Rounds.heads = heads  # type: ignore[method-assign]  # the guard is off


def never_in_doubt() -> None:
    """Take a subscription that is made anew for one that never was gone; and look at no log by itself."""
    never_compared_with_the_log()
    news.News.on_doubt = lambda self, room: None  # type: ignore[method-assign]  # the guard is off


def taken_as_often_as_it_comes() -> None:
    """Fold what the feed brings for a second time once more."""
    heed = table.Table._heed
    heard: set[bytes] = set()

    def heed_again(self: Any, first: Seq, raws: Sequence[bytes]) -> None:
        if raws[-1] in heard:
            _fold_blindly(self, raws)
        else:
            heard.add(raws[-1])
            heed(self, first, raws)

    table.Table._heed = heed_again  # type: ignore[method-assign]  # the guard is off


def taken_in_any_order() -> None:
    """Take what the feed brings of what is to come for what comes next."""
    heed = table.Table._heed

    def heed_at_once(self: Any, first: Seq, raws: Sequence[bytes]) -> None:
        if first > self.head.seq:
            _fold_blindly(self, raws)
        else:
            heed(self, first, raws)

    table.Table._heed = heed_at_once  # type: ignore[method-assign]  # the guard is off


def _fold_blindly(to: Any, raws: Sequence[bytes]) -> None:
    after = to.head.seq + 1
    to.fold([stored.Entry(Seq(at), *stored.unseal(raw), raw) for at, raw in enumerate(raws, after)])


def resumed_whatever_the_chain() -> None:
    """Go on after the event with that number, whichever a client means."""

    def leads_on(self: Any, join: Any) -> bool:
        return bool(join.after <= len(self.entries))

    shown.Shown.leads_on = leads_on  # type: ignore[method-assign]  # the guard is off


def chains_never_compared() -> None:
    """Take two logs of the same length for the same, and any entry for the next."""
    resumed_whatever_the_chain()
    _rewrite(log.APPEND, b"if length ~= seq or actual ~= chain then", b"if length ~= seq then")
    _rewrite(log.APPEND, b"if string.sub(later[1], 2, 5) ~= chain then", b"if false then")
    log._even = lambda head, tail: len(tail) == min(head.seq, 1)
    stored.continues = lambda previous, salt, raw: True
    table.Table.ended_at = lambda self, end: end.seq > 0  # type: ignore[method-assign]  # the guard is off


def read_before_it_listens() -> None:
    """Read a room's log first and listen a little later; and look at no log by itself."""
    never_compared_with_the_log()

    async def join(self: Any, room: Any) -> None:
        asyncio.get_running_loop().call_later(0.1, lambda: self._wanted.get(room) or self._want(room))

    feed.Feed.join = join  # type: ignore[method-assign]  # the guard is off


def shown_before_it_is_told() -> None:
    """Show a room to watchers, and tell them what happens there only from a little later on."""
    enter = fanout.Audience.enter

    def enter_later(self: Any, member: Any) -> None:
        def now() -> None:
            if any(held is member for _, held in member.listener.rooms.values()):
                member.sent = len(self._frames.entries)
                enter(self, member)

        if member.seat is None:
            asyncio.get_running_loop().call_later(0.005, now)
        else:
            enter(self, member)

    fanout.Audience.enter = enter_later  # type: ignore[method-assign]  # the guard is off


def never_misses_clients() -> None:
    """Keep connections on which nothing comes."""
    connection.Connection._keep_alive = lambda self: None  # type: ignore[method-assign]  # the guard is off


def never_probed() -> None:
    """Be content with a server that answers, whether it delivers anything or not."""
    subscriber.Subscriber._watch = lambda self, begun: None  # type: ignore[method-assign]  # the guard is off
    subscriber.Subscriber.healthy = True  # type: ignore[assignment, method-assign]  # the guard is off


def of_another_version() -> None:
    """Publish in another form, and read both: a version 2 beside nodes of version 1."""
    read, note = published.read, published.note
    published.read = lambda message: read(b"\x01" + message[1:] if message[:1] == b"\x02" else message)
    published.note = lambda kind, payload: b"\x02" + note(kind, payload)[1:]
    _rewrite(log.APPEND, b"{struct.pack('>BBI4', 1, 0, ", b"{struct.pack('>BBI4', 2, 0, ")


def read_for_each() -> None:
    """Read a room's log for each who enters, as if nobody had."""
    enter = entrance.Entrance._enter

    async def read_and_enter(self: Any, session: Any, table: Any, *args: Any, **how: Any) -> None:
        await log.read(self._store, table.room)
        await enter(self, session, table, *args, **how)

    entrance.Entrance._enter = read_and_enter  # type: ignore[method-assign]  # the guard is off


def never_told_to_wait() -> None:
    """Let players wait for the store without a word, however long."""
    table.Table.expire = lambda self, now: True  # type: ignore[method-assign]  # the guard is off


def believing_whatever_is_held() -> None:
    """Let clients go on after whatever they say that they hold."""
    shown.Shown.leads_on = lambda self, join: True  # type: ignore[method-assign]  # the guard is off


def keys_forgotten() -> None:
    """Make a new room, whatever was made under the same key."""

    async def made(store: Any, player: Any, key: str, room: RoomId) -> RoomId:
        return room

    players.made = made


def numbers_forgotten() -> None:
    """Judge each move anew, whether it is in the log or not."""
    seat.Seat.logged = lambda self, n: None  # type: ignore[method-assign]  # the guard is off


def never_superseded() -> None:
    """Let every connection keep its seat, however many come."""
    attendance.Attendance.supersede = lambda *_: None  # type: ignore[method-assign]  # the guard is off


def ten_times_as_forgetful() -> None:
    """Say who is there ten times as often, forget it ten times as soon. This is no guard: it saves time."""
    presence.COUNTS = Millis(presence.COUNTS // 10)  # type: ignore[misc]  # else it takes too long
    rounds.PRESENCE_ROUND_S /= 10  # type: ignore[misc]  # else it takes too long
    rounds.CHANGES_ROUND_S /= 10  # type: ignore[misc]  # else it takes too long


def never_absent() -> None:
    """Let what was said of who is there count for ever."""
    presence.COUNTS = Millis(10**9)  # type: ignore[misc]  # else it takes too long


def sessions_kept() -> None:
    """Keep every session, also when its connection is gone."""
    ended, kept = desk.Desk.ended, []

    def end(self: Any, session: Any) -> None:
        kept.append(session)
        ended(self, session)

    desk.Desk.ended = end  # type: ignore[method-assign]  # the guard is off


def ended_at_once() -> None:
    """End without waiting for anything or anyone."""

    async def drain(node: Any, server: Any, spread_s: float) -> None:
        for each in tuple(node.handshake.connections):
            each.abort()

    process.drain = drain  # type: ignore[attr-defined]  # it is imported there, not exported


def held_up_on_demand() -> None:
    """Let SIGUSR1 hold the event loop up for 0.3 s, and SIGUSR2 for a minute."""
    enter = watchdog.Watchdog.__enter__

    def entered(self: Any) -> Any:
        for number, seconds in ((signal.SIGUSR1, 0.3), (signal.SIGUSR2, 60.0)):
            asyncio.get_running_loop().add_signal_handler(number, _hold_up, seconds)
        return enter(self)

    watchdog.Watchdog.__enter__ = entered  # type: ignore[method-assign]  # the guard is off


def _hold_up(seconds: float) -> None:
    time.sleep(seconds)


def held_up_and_not_watched() -> None:
    """Do so, and let nobody watch."""
    watchdog.Watchdog.__enter__ = lambda self: self  # type: ignore[method-assign]  # the guard is off
    watchdog.Watchdog.__exit__ = lambda self, *failed: None  # type: ignore[method-assign]  # the guard is off
    held_up_on_demand()


def as_impatient_as_fifteen() -> None:
    """Ping who was silent for a second, and give up after two; all else is as it is."""
    connection.SILENCE_S /= 15
    connection.CUT_S /= 15


def never_slow() -> None:
    """Write to a client whatever there is, however little it reads."""
    connection.Connection.pause_writing = lambda self: None  # type: ignore[method-assign]  # the guard is off


def eight_may_wait() -> None:
    """Let so many appends wait for the store at most, in place of thousands."""
    begin = committer.Committer.__init__

    def begun(self: Any, *args: Any, **how: Any) -> None:
        begin(self, *args, **{**how, "most": 8})

    committer.Committer.__init__ = begun  # type: ignore[method-assign]  # the guard is off


def by_its_own_clock() -> None:
    """Take the machine's clock for the store's."""
    # The guard is off.
    clock.StoreClock.now = lambda self: Millis(int(time.time() * 1000))  # type: ignore[method-assign]


if __name__ == "__main__":
    for guard in sys.argv.pop(1).split(","):
        globals()[guard]()
    main()
