"""Is what a record says of a game so? Each event is made to happen once more, by the rules, and compared.

What players chose is taken from the record: who sat down, which pair was claimed when. All that follows from
it is not: verdicts, points, boards, clocks, what happens by itself, the ranking, and the chain. Computer
players count as anyone: when and what they choose is theirs ("What happens by itself" in server/rules.md).
"""

from collections.abc import Sequence
from itertools import takewhile
from typing import Any

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from tenmatch.game import commands, daily
from tenmatch.game.answers import Answer, Denied, Refused, Taken
from tenmatch.game.clock import JOIN_MS
from tenmatch.game.commands import AnyCommand
from tenmatch.game.days import day_of
from tenmatch.game.decide import decide
from tenmatch.game.events import (
    Added,
    AnyEvent,
    Called,
    Created,
    Ended,
    Matched,
    Mistaken,
    Passed,
    Readied,
    Resigned,
    Seated,
    Shifted,
    Starting,
    Unseated,
    UnseatReason,
)
from tenmatch.game.ids import Millis, MoveNumber, SeatNumber, Seq
from tenmatch.game.options import BadOptions, choose, seed_named
from tenmatch.game.room import RULES, Phase, Room, evolve
from tenmatch.game.seating import seated, start_if_all_ready
from tenmatch.game.settle import settle_first, shift
from tenmatch.protocol.limits import MAX_MOVE_NUMBER
from tenmatch.protocol.record import Record, Recorded, RecordError, decode, difference, heading_of, shown
from tenmatch.protocol.stored import StoredError, salt_of, seal_all
from tenmatch.rules.board import NumberId
from tenmatch.rules.deal import DealKind, commitment


class Wrong(msgspec.Struct, frozen=True):
    """The first thing in a record that cannot be so."""

    event: int | None  # by its seq; None: the heading, or the record as a whole
    text: str  # for people
    what: str | None = None  # the field, where one is to blame
    said: Any = UNSET  # what it is; UNSET: nothing
    due: Any = UNSET  # what it should be

    def __str__(self) -> str:
        return self.text if self.event is None else f"event {self.event}: {self.text}"


def check(text: bytes) -> Record | Wrong:
    """Read a record and verify it; return it if it proves its game."""
    try:
        record = decode(text)
    except RecordError as error:
        return Wrong(error.event, str(error))
    return verify(record) or record


def verify(record: Record) -> Wrong | None:
    """Return the first thing in a record that cannot be so; None: it proves its game."""
    events = record.events
    if not events or not isinstance(events[0].event, Created):
        return Wrong(1, "a log begins with created")
    step = _opening(events)
    place, chain, salt = 0, 0, events[0].event.salt
    while isinstance(step, Taken):
        for due in step.events:
            if wrong := _compared(events, place, due, chain, bytes.fromhex(salt)):
                return wrong
            chain = events[place].chain
            place += 1
        if place == len(events):
            return _heading(record, step.room)
        step = _next(step.room, place + 1, events[place].event)
    return step


def _compared(events: Sequence[Recorded], place: int, due: AnyEvent, chain: int, salt: bytes) -> Wrong | None:
    """Compare what is recorded at *place* with what is due there, after the chain before it."""
    [entry] = seal_all([due], place, chain, salt)
    wanted = msgspec.to_builtins(due)
    if place == len(events):
        return Wrong(entry.seq, f"it is missing: {shown(wanted)}", due=wanted)
    told = events[place]
    return (
        _differing(entry.seq, {"seq": told.seq}, {"seq": entry.seq})
        or _differing(entry.seq, msgspec.to_builtins(told.event), wanted)
        or _differing(entry.seq, {"chain": told.chain}, {"chain": entry.chain})
    )


def _differing(number: int | None, said: Any, due: Any) -> Wrong | None:
    found = difference(said, due)
    if found is None:
        return None
    text = f"{found.path} is {shown(found.said)}, should be {shown(found.due)}"
    return Wrong(number, text, found.path, found.said, found.due)


def _impossible(number: int, event: AnyEvent, why: str) -> Wrong:
    kind = type(event).__name__.lower()
    return Wrong(number, f"{kind!r} cannot be here: {why}", "kind", kind)


# The beginning: the room, and who is in it from the start


def _opening(events: Sequence[Recorded]) -> Taken | Wrong:
    created = events[0].event
    assert isinstance(created, Created), "seen to before"
    if wrong := _unusable(created):
        return wrong
    sitters = _first_sitters(events)
    again = any(sitter.ready for sitter in sitters)  # the room of a rematch, where all sit at once
    paired = created.join_by is not None  # that of two who were paired, where they do, too
    persons = [number for number, sitter in enumerate(sitters) if sitter.player.bot is None]
    host, seed = SeatNumber(persons[0] if again and persons else 0), _seed(created)
    join_by = Millis(created.at + JOIN_MS) if paired else None
    if created.tournament is not None:  # which has a deadline of its own
        join_by = created.join_by
    due = replace(created, host=host, commit=seed and commitment(seed), join_by=join_by, rules=RULES)
    if not persons or (not again and persons[0] != 0):
        nobody = Wrong(2, "a person sits down first, or in a rematch one of those who do", "player")
        return _compared(events, 0, due, 0, bytes.fromhex(created.salt)) or nobody
    taken = Taken((due,), evolve(None, due))
    for number, sitter in enumerate(sitters if again or paired else sitters[:1]):
        ready = True if again and sitter.player.bot is None else None
        seat, player, skill = SeatNumber(number), sitter.player, sitter.skill
        taken = taken.then(seated(taken.room, seat, player, skill, at=created.at, ready=ready))
    return start_if_all_ready(taken, created.at) if again else taken


def _first_sitters(events: Sequence[Recorded]) -> list[Seated]:
    """Return who sat down in the moment in which the room was made; no more than there are seats."""
    created = events[0].event
    assert isinstance(created, Created), "seen to before"
    later = takewhile(lambda event: event.at == created.at, (entry.event for entry in events[1:]))
    run = list(takewhile(lambda event: isinstance(event, Seated), later))
    return [event for event in run if isinstance(event, Seated)][: created.options.max_players]


def _unusable(created: Created) -> Wrong | None:
    """Return what is wrong with a room so that no game can be judged in it."""
    if created.rules != RULES:
        return Wrong(1, f"only version {RULES} of the rules is known here", "rules", created.rules, RULES)
    try:
        salt = salt_of(created).hex()
        options, _ = choose(created.mode, msgspec.to_builtins(created.options))
        if created.seed is not None:
            seed_named(options.deal, created.seed)
    except StoredError as error:
        return Wrong(1, str(error), "salt", created.salt)
    except BadOptions as error:
        return Wrong(1, error.text, error.field)
    if created.daily is not None and (wrong := _no_daily(created)):
        return wrong
    if (created.seed is None) is not (created.options.deal is DealKind.CLASSIC):
        return Wrong(1, "every deal but the classic one has a seed", "seed", created.seed)
    due = {"options": options, "seed": created.seed and created.seed.lower(), "salt": salt}
    return _differing(1, {name: getattr(created, name) for name in due}, due)


def _no_daily(created: Created) -> Wrong | None:
    """Return why a room is no attempt at a daily that can be judged."""
    if created.seed is None:
        text = f"the seed of the daily of {created.daily} is not in it: it is told the day after, not before"
        return Wrong(1, text, "seed")
    due = {"mode": daily.MODE, "options": daily.OPTIONS, "private": True, "daily": day_of(created.at)}
    wrong = _differing(1, {name: getattr(created, name) for name in due}, due)
    return wrong or (
        Wrong(1, "a daily has to be begun at once", "join_by") if created.join_by is None else None
    )


def _seed(created: Created) -> bytes | None:
    return None if created.seed is None else bytes.fromhex(created.seed)


# What follows


def _next(room: Room, number: int, event: AnyEvent) -> Taken | Wrong:
    """Return what had to happen next in *room*, given what players chose in *event*."""
    if room.phase is Phase.OVER:
        return _impossible(number, event, "the game is over")
    if event.at < room.at:
        return Wrong(number, f"at is before the event before it, {room.at}", "at", event.at, room.at)
    if isinstance(event, Shifted):
        return _answered(number, event, shift(room, event.by_ms, event.at))
    due = settle_first(room, event.at, computers=False)
    if due.events and not _may_be_earlier(room, event):
        return due
    command = _unjudgeable(room, event) or _command(room, event)
    if isinstance(command, str):
        return _impossible(number, event, command)
    return _answered(number, event, decide(room, command, event.at))


def _may_be_earlier(room: Room, event: AnyEvent) -> bool:
    """Tell whether *event* may have been due before everything else that is.

    A computer player's move may, if it came at once. After the server was away much can be due at the same
    moment, and is taken in the order in which it was due; when a computer player's move was is not known.
    """
    if not isinstance(event, Matched | Mistaken | Called | Added) or event.seat is None:
        return False
    seat = room.seats[event.seat] if 0 <= event.seat < len(room.seats) else None
    return seat is not None and seat.player.bot is not None and event.at == room.at


def _answered(number: int, event: AnyEvent, answer: Answer) -> Taken | Wrong:
    if isinstance(answer, Taken) and answer.events:
        return answer
    if isinstance(answer, Refused):
        return _impossible(number, event, f"it is refused, {answer.code}")
    if isinstance(answer, Denied):
        return _impossible(number, event, f"it is denied, {answer.code}: {answer.text}")
    return _impossible(number, event, "nothing is due and nothing is changed by it")


def _unjudgeable(room: Room, event: AnyEvent) -> str | None:
    """Return why *event* names what cannot be asked for at all."""
    seat, n = getattr(event, "seat", None), getattr(event, "n", None)
    if seat is not None and not 0 <= seat < len(room.seats):
        return f"there is no seat {seat}"
    if seat is not None and not isinstance(event, Seated):
        sitter = room.seats[seat]
        if sitter is None:
            return f"nobody sits on seat {seat}"
        if sitter.player.bot is not None and not _computers_may(event):
            return "a computer player does no such thing"
    if n is not None and not 1 <= n <= MAX_MOVE_NUMBER:
        return f"n is 1 to {MAX_MOVE_NUMBER}"
    low = [name for name in ("a", "b", "seen") if (getattr(event, name, None) or 0) < 0]
    return f"{low[0]} is less than nothing" if low else None


def _computers_may(event: AnyEvent) -> bool:
    if isinstance(event, Unseated):
        return event.reason is UnseatReason.KICKED
    return isinstance(event, Matched | Mistaken | Called | Added)


def _command(room: Room, event: AnyEvent) -> AnyCommand | str:
    """Return the command that can have brought *event* about, or why there is none."""
    match event:
        case Seated(seat=seat, player=player, skill=skill) if player.bot is None:
            return commands.Sit(player, skill, seat)
        case Seated(seat=seat, player=player):
            return commands.SeatBot(room.host, player, seat)
        case Unseated(seat=seat, reason=UnseatReason.KICKED) if seat == room.host:  # an operator may
            return commands.PutOut(seat)
        case Unseated(seat=seat, reason=UnseatReason.KICKED):
            return commands.Kick(room.host, seat)
        case Unseated(seat=seat, reason=UnseatReason.LEFT):
            return commands.Leave(seat)
        case Unseated(seat=seat):
            return commands.FreeAbsent(seat)
        case Readied(seat=seat, ready=ready):
            return commands.GetReady(seat, ready)
        case Starting():
            return commands.Start(room.host)
        case Matched(seat=seat, n=n, a=a, b=b):
            return _claim(room, seat, n, a, b, room.seq)
        case Mistaken(seat=seat, n=n, a=int(a), b=int(b), seen=seen):
            return _claim(room, seat, n, NumberId(a), NumberId(b), seen)
        case Mistaken(seat=seat, n=n, seen=seen) | Called(seat=seat, n=n, seen=seen):
            return commands.Call(seat, n, seen, room.seq)
        case Added(seat=int(seat), n=int(n)):
            return commands.TakeAdd(SeatNumber(seat), MoveNumber(n))
        case Passed(seat=seat, n=n):
            return commands.Pass(seat, n)
        case Resigned(seat=seat, kicked=True):
            return commands.PutOut(seat)
        case Ended(closed=True):
            return commands.Close()
        case Resigned(seat=seat, n=n):
            return commands.Resign(seat, n)
        case _:
            return "it was not due"


def _claim(
    room: Room, seat: SeatNumber, n: MoveNumber, a: NumberId, b: NumberId, seen: Seq
) -> commands.Claim:
    # What the player's connection had been sent is in no log, so what only that could excuse is a mistake.
    return commands.Claim(seat, n, a, b, seen, room.seq)


# The end


def _heading(record: Record, room: Room) -> Wrong | None:
    """Compare the heading with what the events came to."""
    if room.phase is not Phase.OVER:
        return Wrong(len(record.events) + 1, "it is missing: the game is not over")
    events = [entry.event for entry in record.events]
    created, ended = events[0], events[-1]
    assert isinstance(created, Created), "seen to before"
    assert isinstance(ended, Ended), "with it a room is over"
    due = heading_of(created, events, ended)
    return _differing(None, msgspec.to_builtins(record.heading), msgspec.to_builtins(due))
