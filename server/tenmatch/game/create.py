"""How a room begins: made by a player, for those whom the queue has paired, or as the rematch of another."""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from types import MappingProxyType
from typing import Final

from tenmatch.game.answers import Taken
from tenmatch.game.clock import JOIN_MS
from tenmatch.game.events import Created, Player, Skill
from tenmatch.game.ids import (
    ROOM_ID_LENGTH,
    Day,
    Millis,
    PlayerId,
    RoomCode,
    RoomId,
    SeatNumber,
    TournamentId,
    spell,
)
from tenmatch.game.options import Mode, Options
from tenmatch.game.room import RULES, Phase, Room, evolve
from tenmatch.game.seating import seated, start_if_all_ready
from tenmatch.rules.deal import commitment

NONE_KNOWN: Final[Mapping[PlayerId, Skill]] = MappingProxyType({})
_REMATCH: Final = b"rematch"  # sets the hash of the salt that names a room apart from those that chain a log


def found(
    *,
    mode: Mode,
    options: Options,
    private: bool,
    code: RoomCode,
    player: Player,
    skill: Skill | None = None,
    seed: bytes | None,
    salt: bytes,
    now: Millis,
) -> Taken:
    """Return a new room whose maker sits on seat 0 and is its host.

    Args:
        skill: What is believed of the maker, for a rated room; None: they are new.
        seed: 32 bytes; None for the classic deal, and only there.
        salt: 16 bytes, drawn for this room alone.
    """
    empty = _empty(
        mode=mode,
        options=options,
        private=private,
        code=code,
        host=SeatNumber(0),
        seed=seed,
        salt=salt,
        now=now,
    )
    return empty.then(seated(empty.room, SeatNumber(0), player, skill, at=now))


def found_paired(
    *,
    mode: Mode,
    options: Options,
    code: RoomCode,
    players: Sequence[Player],
    skills: Mapping[PlayerId, Skill] = NONE_KNOWN,
    daily: Day | None = None,
    seed: bytes | None,
    salt: bytes,
    now: Millis,
    join_ms: int | None = None,
    tournament: TournamentId | None = None,
) -> Taken:
    """Return the room of two who were paired: they sit there, and have until `join_by` to be ready.

    So is that of an attempt at a daily, which is nobody else's to see.

    Args:
        players: As many as the room has seats; the first is a person.
        skills: What is believed of them, for a rated room; who is not in it is new.
        daily: The day whose deal is played.
        seed: 32 bytes; None for the classic deal, and only there.
        salt: 16 bytes, drawn for this room alone.
        join_ms: Until `join_by`; None: as in a quick match.
        tournament: In which this is a game; None: a quick match.
    """
    taken = _empty(
        mode=mode,
        options=options,
        private=daily is not None,
        daily=daily,
        code=code,
        host=SeatNumber(0),
        join_by=Millis(now + (JOIN_MS if join_ms is None else join_ms)),
        tournament=tournament,
        seed=seed,
        salt=salt,
        now=now,
    )
    for number, player in enumerate(players):
        skill = skills.get(player.id)
        taken = taken.then(seated(taken.room, SeatNumber(number), player, skill, at=now))
    return taken


def decided(room: Room) -> bool:
    """Tell whether it is clear what came of a quick match: it is played, or was given up."""
    return room.started_at is not None or room.phase is Phase.OVER


def came(room: Room) -> tuple[PlayerId, ...] | None:
    """Return who came to a quick match for which not all did; None where it was played, or may still be."""
    if room.phase is not Phase.OVER or room.started_at is not None:
        return None
    return tuple(seat.player.id for _, seat in room.taken() if seat.ready and not seat.player.bot)


def found_rematch(
    old: Room,
    *,
    code: RoomCode,
    skills: Mapping[PlayerId, Skill] = NONE_KNOWN,
    seed: bytes | None,
    salt: bytes,
    now: Millis,
) -> Taken:
    """Return the room of the rematch of *old*: who wants it and the computer players, all ready.

    The old order is turned by one, so that another begins, and closed up. If that fills the room, the
    countdown starts.

    Args:
        skills: What is believed of the players by now, for a rated room; who is not in it is new.
        seed: 32 bytes; None for the classic deal, and only there.
        salt: 16 bytes, drawn for this room alone.
    """
    players = _rematch_players(old)
    taken = _empty(
        mode=old.mode,
        options=old.options,
        private=old.private,
        code=code,
        host=SeatNumber(next(number for number, player in enumerate(players) if player.bot is None)),
        seed=seed,
        salt=salt,
        now=now,
    )
    for number, player in enumerate(players):
        ready = True if player.bot is None else None
        skill = skills.get(player.id)
        taken = taken.then(seated(taken.room, SeatNumber(number), player, skill, at=now, ready=ready))
    return start_if_all_ready(taken, now)


def _rematch_players(old: Room) -> list[Player]:
    first, *others = old.taken()
    return [seat.player for number, seat in (*others, first) if seat.player.bot or number in old.wants]


def _empty(
    *,
    mode: Mode,
    options: Options,
    private: bool,
    code: RoomCode,
    host: SeatNumber,
    join_by: Millis | None = None,
    daily: Day | None = None,
    tournament: TournamentId | None = None,
    seed: bytes | None,
    salt: bytes,
    now: Millis,
) -> Taken:
    created = Created(
        at=now,
        mode=mode,
        options=options,
        private=private,
        code=code,
        host=host,
        commit=None if seed is None else commitment(seed),
        join_by=join_by,
        daily=daily,
        tournament=tournament,
        seed=None if seed is None else seed.hex(),
        salt=salt.hex(),
        rules=RULES,
    )
    return Taken((created,), evolve(None, created))


def rematch_room_id(old: Room) -> RoomId:
    """Return the id of the room in which the rematch of *old* takes place, the same on every node."""
    return RoomId(spell(sha256(_REMATCH + bytes.fromhex(old.salt)).digest(), ROOM_ID_LENGTH))
