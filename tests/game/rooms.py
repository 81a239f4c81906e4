"""Rooms to test with: people, computer players, and games on boards of one's own choice."""

from collections.abc import Mapping, Sequence

from tenmatch.game.answers import Answer, Taken
from tenmatch.game.commands import AnyCommand
from tenmatch.game.create import NONE_KNOWN, found, found_paired
from tenmatch.game.decide import decide
from tenmatch.game.events import AnyEvent, Level, Player, Seated, Skill, Started, Starting
from tenmatch.game.ids import Millis, PlayerId, RoomCode, SeatNumber
from tenmatch.game.modes import MODES
from tenmatch.game.options import Mode, choose
from tenmatch.game.room import Room, evolve
from tenmatch.game.settle import settle
from tenmatch.rules.notation import board_hash, parse

T0 = Millis(1_700_000_000_000)
"""When rooms are made and games begin."""

SALT = bytes(range(16))
SEED = bytes(range(32))


def person(number: int) -> Player:
    """Return a person, always the same for a number."""
    return Player(PlayerId(f"person{number:06}"), f"Person {number}")


def computer(number: int, level: Level) -> Player:
    """Return a computer player, always the same for a number and level."""
    return Player(PlayerId(f"robot{number:07}"), f"Robot {number}", bot=level)


def opened(mode: Mode, asked: Mapping[str, object], *, seed: bytes = SEED, salt: bytes = SALT) -> Taken:
    """Return a room that person 0 has just made."""
    options, named = choose(mode, asked)
    return found(
        mode=mode,
        options=options,
        private=False,
        code=RoomCode("abcdef"),
        player=person(0),
        seed=named or (None if options.deal == "classic" else seed),
        salt=salt,
        now=T0,
    )


def paired(
    mode: Mode,
    asked: Mapping[str, object],
    players: Sequence[Player],
    skills: Mapping[PlayerId, Skill] = NONE_KNOWN,
) -> Taken:
    """Return the room of a quick match, to which its players have still to come."""
    options, _ = choose(mode, {"max_players": len(players), **asked})
    code = RoomCode("abcdef")
    return found_paired(
        mode=mode, options=options, code=code, players=players, skills=skills, seed=SEED, salt=SALT, now=T0
    )


def playing(
    mode: Mode, board: str, asked: Mapping[str, object], players: Sequence[Player], *, salt: bytes = SALT
) -> Taken:
    """Return a room in which a game on *board* has just begun; its last event is `Started`."""
    taken = opened(mode, {"max_players": max(2, len(players)), **asked}, salt=salt)
    for number, player in enumerate(players):
        if number:
            taken = taken.then(Seated(at=T0, seat=SeatNumber(number), player=player))
    taken = taken.then(Starting(at=T0, starts_at=T0))
    timing = MODES[mode].opening(taken.room, T0)
    started = Started(
        at=T0,
        board=board,
        adds_left=taken.room.options.adds,
        ends_at=timing.ends_at,
        turn=timing.turn,
        clocks=timing.clocks,
        hash=board_hash(parse(board)),
    )
    return taken.then(started)


def after(room: Room, *commands: AnyCommand) -> Taken:
    """Return what commands come to, all at the beginning."""
    taken = Taken((), room)
    for command in commands:
        answer = decide(taken.room, command, T0)
        assert isinstance(answer, Taken), answer
        taken = Taken((*taken.events, *answer.events), answer.room)
    return taken


def ask(room: Room, command: AnyCommand, at: int) -> tuple[Taken, Answer]:
    """Settle a room, then put a command to it: what was due, and the answer."""
    settled = settle(room, Millis(T0 + at))
    return settled, decide(settled.room, command, Millis(T0 + at))


def fold(log: Sequence[AnyEvent]) -> Room:
    """Fold a whole log."""
    room = None
    for event in log:
        room = evolve(room, event)
    assert room is not None, "an empty log makes no room"
    return room
