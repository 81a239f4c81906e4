"""Whole games by the server's own rules, persons and computer players mixed, always the same for a name."""

import random
from collections.abc import Callable

from tenmatch.game import commands, daily
from tenmatch.game.answers import Taken
from tenmatch.game.create import found, found_paired
from tenmatch.game.days import day_of
from tenmatch.game.decide import decide
from tenmatch.game.events import AnyEvent, Level, Player, Skill
from tenmatch.game.ids import (
    Millis,
    MoveNumber,
    PlayerId,
    RoomCode,
    RoomId,
    SeatNumber,
    Seq,
    TournamentId,
)
from tenmatch.game.options import Mode, choose
from tenmatch.game.room import Phase, Room
from tenmatch.game.settle import next_due, settle, shift
from tenmatch.rules.board import NumberId

START = Millis(1_800_000_000_000)
ANN = Player(PlayerId("ann000000000"), "Ann")
CUP = TournamentId(RoomId("c7qm3xw9kd2"))
BOB = Player(PlayerId("bob000000000"), "Bob")
EVE = Player(PlayerId("eve000000000"), "Eve")
ROBIN = Player(PlayerId("bot000000000"), "Robin", Level.MEDIUM)
LONGEST = 1500  # events of a game, more than any of these has


class Game:
    """A room under way, and all that has happened in it."""

    def __init__(self, mode: Mode, seed: int, **options: object) -> None:
        self.draw = random.Random(seed)
        chosen, _ = choose(mode, options)
        taken = found(
            mode=mode,
            options=chosen,
            private=False,
            code=RoomCode("CODE42"),
            player=ANN,
            seed=self.draw.randbytes(32),
            salt=self.draw.randbytes(16),
            now=START,
        )
        self.room: Room = taken.room
        self.events: list[AnyEvent] = list(taken.events)
        self.now = START

    def take(self, taken: Taken) -> None:
        self.events += taken.events
        self.room = taken.room

    def do(self, command: commands.AnyCommand) -> None:
        self.take(settle(self.room, self.now))
        answer = decide(self.room, command, self.now)
        if isinstance(answer, Taken):
            self.take(answer)

    def wait(self) -> None:
        """Let the next thing happen that is due by itself."""
        due = next_due(self.room)
        assert due is not None, "a game that is not over goes on"
        self.now = Millis(max(self.now, due))
        self.take(settle(self.room, self.now))


def before_the_start() -> Game:
    """Play musical chairs: come, go, be kicked, be ready and not, and start in the end."""
    game = Game(Mode.RACE, 1, max_players=4, seconds=10)
    for command in (
        commands.Sit(BOB),
        commands.Sit(EVE),
        commands.GetReady(SeatNumber(1), True),
        commands.GetReady(SeatNumber(1), False),
        commands.Kick(SeatNumber(0), SeatNumber(1)),
        commands.SeatBot(SeatNumber(0), Player(PlayerId("bot000000000"), "Robin", Level.HARD)),
        commands.Leave(SeatNumber(0)),
        commands.Start(SeatNumber(2)),
        commands.GetReady(SeatNumber(2), True),
        commands.GetReady(SeatNumber(2), False),
        commands.Start(SeatNumber(2)),
    ):
        game.do(command)
    return to_the_end(game)


def quick_match(
    seed: int, other: Player, join_ms: int | None = None, tournament: TournamentId | None = None
) -> Game:
    """Let two meet whom the queue has paired, with a change of mind and an outage before all are ready."""
    game = Game(Mode.RACE, seed, seconds=10)
    taken = found_paired(
        mode=game.room.mode,
        options=game.room.options,
        code=game.room.code,
        players=[ANN, other],
        seed=game.draw.randbytes(32),
        salt=game.draw.randbytes(16),
        now=START,
        join_ms=join_ms,
        tournament=tournament,
    )
    game.room, game.events = taken.room, list(taken.events)
    game.take(shift(game.room, 5_000, Millis(START + 6_000)))
    game.now = Millis(START + 13_000)
    for number, ready in ((0, True), (1, True), (0, False), (0, True)):
        game.do(commands.GetReady(SeatNumber(number), ready))
    return to_the_end(game)


def changed_seats() -> Game:
    """Play in two teams after a change of seats; one player alone cannot start, nor both of a team."""
    game = Game(Mode.RACE, 30, max_players=4, teams="chosen", size=9, adds=1, seconds=3600)
    for command in (
        commands.Start(SeatNumber(0)),
        commands.Sit(ANN, on=SeatNumber(3)),  # alone: the room goes on, and she is its host
        commands.SeatBot(SeatNumber(3), ROBIN, SeatNumber(1)),
        commands.Start(SeatNumber(3)),  # both are in the same team
        commands.Sit(BOB, on=SeatNumber(1)),  # taken
        commands.Sit(BOB),
        commands.GetReady(SeatNumber(0), True),
        commands.Sit(BOB, on=SeatNumber(2)),
        commands.GetReady(SeatNumber(3), True),
        commands.Sit(EVE),
        commands.GetReady(SeatNumber(0), True),
        commands.GetReady(SeatNumber(2), True),
    ):
        game.do(command)
    assert game.room.phase is Phase.STARTING
    return to_the_end(game)


def drawn_of_five() -> Game:
    """Start with fewer than there are seats for."""
    game = Game(Mode.RACE, 32, max_players=8, teams="drawn", size=18, countdown_ms=0)
    for seat in (6, 2, 5, 1):
        player = Player(PlayerId(f"person{seat:06}"), f"Person {seat}")
        game.do(commands.Sit(player, on=SeatNumber(seat)))
    game.do(commands.Start(SeatNumber(0)))
    return to_the_end(game)


def daily_attempt(seed: int, *, resigns: bool = False) -> Game:
    """Play the daily alone, with a change of mind and an outage."""
    game = Game(daily.MODE, seed)
    taken = found_paired(
        mode=daily.MODE,
        options=daily.OPTIONS,
        code=game.room.code,
        players=[ANN],
        daily=day_of(START),
        seed=game.draw.randbytes(32),
        salt=game.draw.randbytes(16),
        now=START,
    )
    game.room, game.events = taken.room, list(taken.events)
    for ready in (True, False, True):
        game.do(commands.GetReady(SeatNumber(0), ready))
    game.wait()
    game.take(shift(game.room, 3_000, Millis(game.now + 5_000)))
    if resigns:
        game.do(commands.Resign(SeatNumber(0), MoveNumber(1)))
    return to_the_end(game)


def rated(mode: Mode, seed: int, *skills: Skill, **options: object) -> Game:
    """Play a rated game of persons, of whom the first is new."""
    game = Game(mode, seed, rated=True, max_players=len(skills) + 1, **options)
    for number, skill in enumerate(skills, 1):
        game.do(commands.Sit(Player(PlayerId(f"person{number:06}"), f"Person {number}"), skill))
    for number in range(len(skills) + 1):
        game.do(commands.GetReady(SeatNumber(number), True))
    return to_the_end(game)


def operated(mode: Mode) -> Game:
    """Play a game in which an operator takes out its host, two who play, and ends it."""
    game = Game(mode, 12, max_players=4, countdown_ms=0, size=27)
    for player in (BOB, EVE):
        game.do(commands.Sit(player))
    if mode is not Mode.MIRROR:  # where a seat has one viewer, whom its story is told to
        game.do(commands.PutOut(SeatNumber(0)))
    game.do(commands.Sit(Player(PlayerId("joe000000000"), "Joe")))
    game.do(commands.Sit(Player(PlayerId("kim000000000"), "Kim")))
    game.do(commands.Start(game.room.host))
    for seat in (2, 0):
        for _ in range(3):
            game.now = Millis(game.now + 500)
            game.do(some_move(game))
        game.do(commands.PutOut(SeatNumber(seat)))
    game.do(commands.Close())
    return game


def race(seed: int, **options: object) -> Game:
    return to_the_end(with_bots(Game(Mode.RACE, seed, **options)))


def turns(seed: int, **options: object) -> Game:
    return to_the_end(with_bots(Game(Mode.TURNS, seed, **options)))


def mirror(seed: int, **options: object) -> Game:
    return to_the_end(with_bots(Game(Mode.MIRROR, seed, **options)))


def with_bots(game: Game) -> Game:
    """Give the last seat of several to a computer player, the others to persons, and start."""
    players = game.room.options.max_players
    for number in range(1, players - 1):
        game.do(commands.Sit(Player(PlayerId(f"person{number:06}"), f"Person {number}")))
        game.do(commands.GetReady(SeatNumber(number), True))
    if players > 1:
        game.do(commands.SeatBot(SeatNumber(0), ROBIN))
    game.do(commands.GetReady(SeatNumber(0), True))
    return game


def to_the_end(game: Game) -> Game:
    """Let the persons move at random between what happens by itself, then ask for a rematch."""
    while game.room.phase is not Phase.OVER and len(game.events) < LONGEST:
        if movers(game.room) and (game.draw.random() < 0.95 or game.room.own_boards):
            game.now = Millis(game.now + game.draw.randrange(2000))
            game.do(some_move(game))
        else:
            game.wait()
        if game.draw.random() < 0.03:
            game.take(shift(game.room, 4_000, game.now))
    assert game.room.phase is Phase.OVER
    for seat, want in ((0, True), (1, True), (0, False)):
        if seat < len(game.room.seats):
            game.do(commands.WantRematch(SeatNumber(seat), want))
    game.do(commands.NameRematch(RoomId("room000002")))
    return game


def movers(room: Room) -> list[SeatNumber]:
    """Return the persons who may move now."""
    if room.phase is not Phase.PLAYING:
        return []
    persons = [number for number, seat in room.taken() if not seat.player.bot]
    return [number for number in persons if room.turn in (None, number) and not _done(room, number)]


def _done(room: Room, seat: SeatNumber) -> bool:
    return room.own_boards and (room.seated(seat).out or room.sheet_of(seat).done)


def some_move(game: Game) -> commands.AnyCommand:
    """Draw a move of a person: mostly a right claim, sometimes a wrong one, or what else the mode has."""
    seat = game.draw.choice(movers(game.room))
    n = MoveNumber(game.room.seated(seat).last_n + game.draw.choice((1, 1, 2)))
    sheet = game.room.sheet_of(seat)
    kind = game.draw.random()
    if sheet.witness is not None and kind < 0.7:
        return commands.Claim(seat, n, *sheet.witness, Seq(game.room.seq), Seq(game.room.seq))
    if kind < 0.85:
        a, b = map(NumberId, game.draw.choices(range(sheet.board.next_id + 1), k=2))
        return commands.Claim(seat, n, a, b, Seq(game.room.seq), Seq(game.room.seq))
    if kind >= 0.99:
        return commands.Resign(seat, n)
    match game.room.mode:
        case Mode.RACE:
            return commands.Call(seat, n, Seq(game.room.seq), Seq(game.room.seq))
        case Mode.TURNS:
            return commands.Pass(seat, n)
        case Mode.MIRROR:
            return commands.TakeAdd(seat, n)


GAMES: dict[str, Callable[[], Game]] = {
    "before the start": before_the_start,
    "a tournament's game": lambda: quick_match(12, BOB, 60_000, CUP),
    "quick match": lambda: quick_match(10, BOB),
    "quick match with the computer": lambda: quick_match(11, ROBIN),
    "in an operator's hands": lambda: operated(Mode.RACE),
    "in an operator's hands, in turns": lambda: operated(Mode.TURNS),
    "in an operator's hands, in mirror": lambda: operated(Mode.MIRROR),
    "race": lambda: race(2),
    "race of eight": lambda: race(3, max_players=8, size=60),
    "race to the end": lambda: race(4, size=9, seconds=3600, adds=2),
    "race without penalties": lambda: race(5, penalty=False, deal="even"),
    "turns": lambda: turns(6),
    "turns of four": lambda: turns(7, max_players=4, size=20),
    "turns, again for a row": lambda: turns(8, row_again=True, size=18, adds=0),
    "turns on short clocks": lambda: turns(9, base_s=5, increment_s=0, max_players=3),
    "mirror": lambda: mirror(22, max_players=2, size=18, adds=1),
    "mirror of four": lambda: mirror(11, max_players=4, size=27, adds=1),
    "mirror until all are stuck": lambda: mirror(18, max_players=2, size=18, adds=1),
    "mirror without penalties": lambda: mirror(13, penalty=False, seconds=60, max_players=5),
    "rated race": lambda: rated(Mode.RACE, 14, Skill(31_234, 2_345), Skill(-5_000, 900)),
    "rated turns": lambda: rated(Mode.TURNS, 15, Skill(18_000, 7_777), countdown_ms=0),
    "rated mirror": lambda: rated(Mode.MIRROR, 16, Skill(25_000, 8_333), spectator_delay_ms=0),
    "teams of two, with a change of seats": changed_seats,
    "teams of three, drawn": lambda: race(31, max_players=6, teams="drawn", size=18, seconds=3600),
    "teams that are drawn of five": drawn_of_five,
    "rated teams": lambda: rated(Mode.RACE, 33, *[Skill(25_000, 8_333)] * 3, teams="chosen"),
    "daily": lambda: daily_attempt(34),
    "daily, given up": lambda: daily_attempt(35, resigns=True),
    "practice": lambda: mirror(10, max_players=1, size=18, adds=1),
}
