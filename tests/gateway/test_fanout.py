"""Fan-out: everyone is sent every event once and in order, whoever reads slowly, comes or goes meanwhile."""

import asyncio
import random
from collections.abc import Sequence

import pytest
from tests.game.rooms import opened
from tests.store.waiting import until

from tenmatch.game.ids import PlayerId, RoomId, SeatNumber, Seq
from tenmatch.game.options import Mode
from tenmatch.gateway.counts import Counts
from tenmatch.gateway.credits import Credits
from tenmatch.gateway.fanout import FAR_BEHIND, SLICE, Audience, Member
from tenmatch.protocol.codec import CODECS
from tenmatch.protocol.limits import JSON
from tenmatch.protocol.stored import Entry, seal_all

EVENT = opened(Mode.RACE, {}).events[0]


class Listener:
    """Keeps what it is sent; is slow when told to be."""

    def __init__(self) -> None:
        self.codec = CODECS[JSON]
        self.slow = False
        self.sent: list[str] = []

    def write(self, frames: bytes) -> None:
        self.sent += frames.decode().split()

    def detached(self, room: RoomId, reason: str) -> None: ...


class Log:
    """A log whose frames say which event they are."""

    def __init__(self, length: int = 0) -> None:
        self.entries: Sequence[Entry] = []
        self.made = 0
        for _ in range(length):
            self.grow()

    def grow(self) -> None:
        self.entries = [*self.entries, *seal_all([EVENT], len(self.entries), 0, bytes(16))]

    def frame(self, entry: Entry, member: Member) -> bytes:
        self.made += 1
        return f"{entry.seq} ".encode()

    def snapshot(self, member: Member) -> bytes:
        return f"s{len(self.entries)} ".encode()


def enter(audience: Audience, log: Log, seat: int | None = None) -> tuple[Member, Listener]:
    listener = Listener()
    taken = None if seat is None else SeatNumber(seat)
    member = Member(
        listener,
        PlayerId("someone"),
        taken,
        number=1,
        sent=Seq(len(log.entries)),
        matches=Credits(0, 1, 0.0),
    )
    audience.enter(member)
    return member, listener


def numbers(first: int, last: int) -> list[str]:
    return [str(number) for number in range(first, last + 1)]


@pytest.mark.parametrize("seat", [0, None])
async def test_events_are_sent_once_each_and_in_order(seat: int | None) -> None:
    log = Log(3)
    audience = Audience(log)
    _, listener = enter(audience, log, seat)
    audience.tell()
    for _ in range(2):
        log.grow()
        audience.tell()
    log.grow()
    log.grow()
    audience.tell()
    audience.tell()
    assert listener.sent == numbers(4, 7)


async def test_players_are_sent_before_watchers() -> None:
    log, counts = Log(1), Counts()
    audience = Audience(log, counts)
    order: list[str] = []
    for name, seat in (("watcher", None), ("player", 0)):
        _, listener = enter(audience, log, seat)
        # This one only.
        listener.write = lambda frames, name=name: order.append(name)  # type: ignore[method-assign,misc]
    log.grow()
    audience.tell()
    assert order == ["player", "watcher"]
    assert (counts.told_players, counts.told_watchers) == (1, 1)


async def test_who_left_is_sent_nothing() -> None:
    log = Log(1)
    audience = Audience(log)
    (member, listener), (player, seated) = enter(audience, log), enter(audience, log, 0)
    for gone in (member, player, member):
        audience.leave(gone)
    log.grow()
    audience.tell()
    assert listener.sent == seated.sent == []
    assert not len(audience)
    assert list(audience) == []


async def everyone_told(audience: Audience) -> None:
    await until(lambda: not audience._telling)


async def test_many_watchers_are_sent_in_slices_between_which_others_have_their_turn() -> None:
    log = Log(1)
    audience = Audience(log)
    listeners = [enter(audience, log)[1] for _ in range(3 * SLICE + 1)]
    log.grow()
    audience.tell()
    turns = 0
    told = [sum(bool(listener.sent) for listener in listeners)]
    while audience._telling:
        await asyncio.sleep(0)
        turns += 1
        told.append(sum(bool(listener.sent) for listener in listeners))
    assert told == [SLICE, 2 * SLICE, 3 * SLICE, 3 * SLICE + 1]
    assert all(listener.sent == ["2"] for listener in listeners)


async def test_events_between_slices_reach_everyone_once() -> None:
    log = Log(1)
    audience = Audience(log)
    listeners = [enter(audience, log)[1] for _ in range(2 * SLICE)]
    for _ in range(5):
        log.grow()
        audience.tell()
        await asyncio.sleep(0)
    await everyone_told(audience)
    assert all(listener.sent == numbers(2, 6) for listener in listeners)


async def test_a_quick_game_leaves_no_watcher_out() -> None:
    """Between two events there is time for one slice only, and still the last in line hears of it."""
    log = Log(1)
    audience = Audience(log)
    listeners = [enter(audience, log)[1] for _ in range(6 * SLICE)]
    for _ in range(12):
        log.grow()
        audience.tell()
        await asyncio.sleep(0)
    assert all(listener.sent for listener in listeners)
    await everyone_told(audience)
    assert all(listener.sent == numbers(2, 13) for listener in listeners)


async def test_a_slow_watcher_gets_one_snapshot_instead_of_what_it_missed() -> None:
    log, counts = Log(1), Counts()
    audience = Audience(log, counts)
    member, listener = enter(audience, log)
    listener.slow = True
    for _ in range(50):
        log.grow()
        audience.tell()
    assert listener.sent == []
    listener.slow = False
    audience.drained(member)
    audience.drained(member)
    log.grow()
    audience.tell()
    assert listener.sent == ["s51", "52"]
    assert (counts.skipped, counts.coalesced, counts.told_watchers) == (50, 1, 1)


async def test_a_watcher_far_behind_is_told_the_state_instead() -> None:
    log = Log()
    audience = Audience(log)
    _, player = enter(audience, log, 0)
    _, watcher = enter(audience, log)
    for _ in range(FAR_BEHIND + 1):
        log.grow()
    audience.tell()
    assert player.sent == numbers(1, FAR_BEHIND + 1)
    assert watcher.sent == [f"s{FAR_BEHIND + 1}"]
    for _ in range(FAR_BEHIND):
        log.grow()
    audience.tell()
    assert watcher.sent[1:] == numbers(FAR_BEHIND + 2, 2 * FAR_BEHIND + 1)


async def test_a_slow_player_is_left_out_of_nothing() -> None:
    log = Log(1)
    audience = Audience(log)
    member, listener = enter(audience, log, 0)
    listener.slow = True
    for _ in range(5):
        log.grow()
        audience.tell()
    audience.drained(member)
    assert listener.sent == numbers(2, 6)


async def test_what_is_said_reaches_those_who_read_and_in_slices() -> None:
    log = Log(1)
    audience = Audience(log)
    slow, quick, player = (enter(audience, log, seat)[1] for seat in (None, None, 0))
    crowd = [enter(audience, log)[1] for _ in range(2 * SLICE)]
    leaver = enter(audience, log)
    slow.slow = True
    audience.say({JSON: b"hello ", "other": b"hi "})
    assert player.sent == quick.sent == ["hello"]
    assert sum(len(listener.sent) for listener in crowd) < SLICE
    audience.leave(leaver[0])
    for _ in range(3):
        await asyncio.sleep(0)
    assert all(listener.sent == ["hello"] for listener in crowd)
    assert slow.sent == leaver[1].sent == []


async def test_a_failure_in_one_slice_does_not_silence_the_room() -> None:
    log = Log(1)
    audience = Audience(log)
    broken, listener = enter(audience, log)[1], enter(audience, log)[1]

    def fail(frames: bytes) -> None:
        raise RuntimeError("broken")

    broken.write = fail  # type: ignore[method-assign]  # this one only
    log.grow()
    with pytest.raises(RuntimeError):
        audience.tell()
    broken.write = lambda frames: None  # type: ignore[method-assign]  # this one only
    log.grow()
    audience.tell()
    assert listener.sent == ["2", "3"]


def applied(sent: Sequence[str], start: int) -> int:
    """Apply what was sent as a client does, and return the seq it holds; fails on a gap or a repetition."""
    seq = start
    for item in sent:
        if item.startswith("s"):
            assert int(item[1:]) >= seq
            seq = int(item[1:])
        else:
            assert int(item) == seq + 1, sent
            seq = int(item)
    return seq


@pytest.mark.parametrize("seed", range(20))
async def test_whatever_happens_nobody_has_a_gap(seed: int) -> None:
    chance = random.Random(seed)
    log = Log(1)
    audience = Audience(log)
    here: list[tuple[Member, Listener, int]] = []
    for _ in range(200):
        what = chance.random()
        if what < 0.35:
            log.grow()
            audience.tell()
        elif what < 0.6 or not here:
            start = len(log.entries)
            some = [chance.choice([None, None, 0]) for _ in range(chance.choice([1, 1, SLICE]))]
            here += [(*enter(audience, log, seat), start) for seat in some]
        elif what < 0.7:
            member, listener, start = here.pop(chance.randrange(len(here)))
            audience.leave(member)
            applied(listener.sent, start)
        elif what < 0.85:
            chance.choice(here)[1].slow = True
        elif what < 0.95:
            member, listener, _ = chance.choice(here)
            if listener.slow:
                listener.slow = False
                audience.drained(member)
        else:
            await asyncio.sleep(0)
    await everyone_told(audience)
    for member, listener, start in here:
        if listener.slow:
            listener.slow = False
            audience.drained(member)
        assert applied(listener.sent, start) == len(log.entries)
