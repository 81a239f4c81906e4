"""What happens around a game: taking and freeing seats, being ready, the countdown, wanting another game."""

from msgspec.structs import replace

from tenmatch.game.answers import Denial, Denied, Taken
from tenmatch.game.commands import (
    FreeAbsent,
    GetReady,
    Kick,
    Leave,
    NameRematch,
    SeatBot,
    Sit,
    Start,
    WantRematch,
)
from tenmatch.game.consequences import end
from tenmatch.game.events import (
    EndReason,
    Player,
    Readied,
    Rematch,
    Seated,
    Skill,
    Started,
    Starting,
    Unseated,
    UnseatReason,
)
from tenmatch.game.ids import Millis, SeatNumber
from tenmatch.game.modes import MODES
from tenmatch.game.rating import NEW, rating
from tenmatch.game.room import Phase, Room
from tenmatch.game.teams import drawn
from tenmatch.rules.deal import deal
from tenmatch.rules.notation import board_hash, text

NOT_HOST = Denied(Denial.NOT_HOST, "Only the host may do that.")
MEETING = Denied(Denial.NOT_ALLOWED, "This game begins by itself when all have come.")
NOT_SEATED = Denied(Denial.NOT_ALLOWED, "You have no seat in this room.")


def sit(room: Room, command: Sit, now: Millis) -> Taken | Denied:
    """Give a free seat to a person; if they have another, it is freed."""
    if command.player.id in room.kicked:
        return Denied(Denial.NOT_ALLOWED, "The host has asked you to leave this room; you may watch.")
    return _seat(room, command.player, now, command.skill, on=command.on)


def stays(room: Room, command: Sit) -> bool:
    """Tell whether somebody sits where they want to, or can sit nowhere else any more."""
    seat = room.seat_of(command.player.id)
    settled = room.phase is not Phase.OPEN or room.join_by is not None
    return seat is not None and (settled or command.on is None or command.on == seat)


def seat_bot(room: Room, command: SeatBot, now: Millis) -> Taken | Denied:
    """Give a free seat to a computer player."""
    if command.seat != room.host:
        return NOT_HOST
    if room.options.rated:
        return Denied(Denial.NOT_ALLOWED, "Computer players do not play rated games.")
    return _seat(room, command.player, now, on=command.on)


def _seat(
    room: Room, player: Player, now: Millis, skill: Skill | None = None, *, on: SeatNumber | None
) -> Taken | Denied:
    free = [SeatNumber(number) for number, seat in enumerate(room.seats) if seat is None]
    if not free:
        return Denied(Denial.ROOM_FULL, "All seats of this room are taken.")
    if on is not None and on not in free:
        return Denied(Denial.ROOM_FULL, f"There is no free seat {on}.")
    before = room.seat_of(player.id)
    taken = Taken((), room).then(seated(room, free[0] if on is None else on, player, skill, at=now))
    if before is not None:  # only then: a room without persons would end
        return _freed(taken, before, UnseatReason.LEFT, now)
    return start_if_all_ready(taken, now)


def seated(
    room: Room,
    seat: SeatNumber,
    player: Player,
    skill: Skill | None = None,
    *,
    at: Millis,
    ready: bool | None = None,
) -> Seated:
    """Return that a player takes a seat; in a rated room with what is believed of them, and their rating.

    It is noted then: what a game does to ratings follows from its log alone.

    Args:
        skill: None for who is new; in rooms that are not rated it does not matter.
    """
    if not room.options.rated:
        return Seated(at=at, seat=seat, player=player, ready=ready)
    noted = skill or NEW
    player = replace(player, rating=rating(noted))
    return Seated(at=at, seat=seat, player=player, ready=ready, skill=noted)


def leave(room: Room, command: Leave, now: Millis) -> Taken | Denied:
    """Free one's own seat; in a tournament it stays, and who comes back in time plays."""
    if room.tournament is not None:
        return get_ready(room, GetReady(command.seat, False), now)
    return unseat(room, command.seat, UnseatReason.LEFT, now)


def free_absent(room: Room, command: FreeAbsent, now: Millis) -> Taken:
    """Free the seat of a person who is nowhere; only while the room is open."""
    seat = room.seats[command.seat]
    kept = room.tournament is not None
    if kept or (seat is not None and seat.player.bot is not None):  # somebody else sits there by now
        return Taken((), room)
    return unseat(room, command.seat, UnseatReason.ABSENT, now)


def kick(room: Room, command: Kick, now: Millis) -> Taken | Denied:
    """Free another's seat."""
    if command.seat != room.host:
        return NOT_HOST
    if command.target == room.host:
        return Denied(Denial.NOT_ALLOWED, "One cannot kick oneself.")
    if not 0 <= command.target < len(room.seats) or room.seats[command.target] is None:
        return Denied(Denial.NOT_ALLOWED, f"Nobody sits on seat {command.target}.")
    return unseat(room, command.target, UnseatReason.KICKED, now)


def unseat(room: Room, seat: SeatNumber, reason: UnseatReason, now: Millis) -> Taken:
    """Free a seat; the room ends with the last person, and a quick match with the first."""
    if room.seats[seat] is None:
        return Taken((), room)
    taken = _freed(Taken((), room), seat, reason, now)
    alone = all(other.player.bot for _, other in taken.room.taken())
    return end(taken, EndReason.ABANDONED, now) if alone or room.join_by is not None else taken


def _freed(taken: Taken, seat: SeatNumber, reason: UnseatReason, now: Millis) -> Taken:
    others = (number for number, other in taken.room.taken() if number != seat and not other.player.bot)
    return taken.then(Unseated(at=now, seat=seat, reason=reason, host=next(others, None)))


def get_ready(room: Room, command: GetReady, now: Millis) -> Taken | Denied:
    """Be ready, or no longer; during the countdown the latter always stops it."""
    seat = room.seats[command.seat]
    if seat is None:
        return NOT_SEATED
    stops = room.phase is Phase.STARTING and not command.ready  # also who never was ready may stop it
    if seat.ready == command.ready and not stops:
        return Taken((), room)
    taken = Taken((), room).then(Readied(at=now, seat=command.seat, ready=command.ready))
    return start_if_all_ready(taken, now)


def start(room: Room, command: Start, now: Millis) -> Taken | Denied:
    """Start with those who sit there, ready or not."""
    if command.seat != room.host:
        return NOT_HOST
    needed = min(2, room.options.max_players)
    if len(room.taken()) < needed:
        return Denied(Denial.TOO_FEW_PLAYERS, f"At least {needed} players are needed.")
    if len(room.sides(number for number, _ in room.taken())) < needed:
        return Denied(Denial.TOO_FEW_PLAYERS, "Each team needs a player.")
    return _count_down(Taken((), room), now)


def start_if_all_ready(taken: Taken, now: Millis) -> Taken:
    """Start the countdown of an open room if all seats are taken and ready."""
    room = taken.room
    if room.phase is Phase.OPEN and all(seat is not None and seat.ready for seat in room.seats):
        return _count_down(taken, now)
    return taken


def _count_down(taken: Taken, now: Millis) -> Taken:
    starts_at = Millis(now + taken.room.options.countdown_ms)
    taken = taken.then(Starting(at=now, starts_at=starts_at))
    return begin(taken, now) if starts_at == now else taken


def begin(taken: Taken, at: Millis) -> Taken:
    """Deal the board: play begins."""
    room = taken.room
    seed = None if room.seed is None else bytes.fromhex(room.seed)
    board = deal(seed, room.options.size, room.options.deal).board
    timing = MODES[room.mode].opening(room, at)
    taken_seats = [number for number, _ in room.taken()]
    return taken.then(
        Started(
            at=at,
            board=text(board),
            adds_left=room.options.adds,
            ends_at=timing.ends_at,
            turn=timing.turn,
            clocks=timing.clocks,
            teams=drawn(room.options, bytes.fromhex(room.salt), taken_seats),
            hash=board_hash(board),
        )
    )


def want_rematch(room: Room, command: WantRematch, now: Millis) -> Taken | Denied:
    """Note who wants another game with the others."""
    seat = room.seats[command.seat]
    if seat is None:
        return NOT_SEATED
    if room.started_at is None:
        return Denied(Denial.NOT_ALLOWED, "No game was played here.")
    if room.daily is not None:
        return Denied(Denial.NOT_ALLOWED, "The daily is played once.")
    if (command.seat in room.wants) == command.want:
        return Taken((), room)
    if room.rematch is not None:
        return Denied(Denial.NOT_ALLOWED, "The rematch has its room already.")
    return Taken((), room).then(Rematch(at=now, seat=command.seat, want=command.want))


def name_rematch(room: Room, command: NameRematch, now: Millis) -> Taken:
    """Say which room the rematch is in, once."""
    if room.rematch is not None:
        return Taken((), room)
    return Taken((), room).then(Rematch(at=now, room=command.room))
