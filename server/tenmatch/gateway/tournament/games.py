"""The rooms of a tournament's games: found them, call the players, and carry over what came of them.

All of it can be done by any node, and again: a room's id follows from the tournament, what came of a game
from the room's log, and the tournament takes each game's result once.
"""

import logging
from collections.abc import Collection
from functools import partial
from typing import Final

from tenmatch.game.commands import PutOut
from tenmatch.game.create import found_paired
from tenmatch.game.events import Player
from tenmatch.game.ids import PlayerId
from tenmatch.game.room import Phase as RoomPhase
from tenmatch.game.tournament.decide import Conclude, Open
from tenmatch.game.tournament.draws import room_of
from tenmatch.game.tournament.outcome import outcome
from tenmatch.game.tournament.state import Game
from tenmatch.gateway.draws import draw_seed
from tenmatch.gateway.ratings import Ratings
from tenmatch.gateway.table import Table
from tenmatch.gateway.tables import NoSuchRoom, Tables, UnreadableRoom
from tenmatch.gateway.tasks import Spawn
from tenmatch.gateway.tournament.held import Held
from tenmatch.gateway.tournament.tournaments import NoSuchTournament, Tournaments
from tenmatch.store.connect import Store, StoreDown

log = logging.getLogger(__name__)

_MS: Final = 1_000


class Games:
    """Sees to the games of the tournaments that this node has loaded."""

    def __init__(
        self, store: Store, tables: Tables, ratings: Ratings, tournaments: Tournaments, *, spawn: Spawn
    ) -> None:
        self._store = store
        self._tables = tables
        self._ratings = ratings
        self._tournaments = tournaments
        self._spawn = spawn
        tournaments.moved = self.see_to

    def see_to(self, held: Held) -> None:
        """See to all games of a tournament that are not decided, unless that is under way."""
        for game in held.state.undecided:
            if game.number not in held.playing:
                held.playing.add(game.number)
                self._spawn(self._see_to(held, game))

    async def _see_to(self, held: Held, game: Game) -> None:
        try:
            table = await self._table(held, game)
            if game.room is None:
                join_by = table.state.join_by
                assert join_by is not None, "the room of a game waits for its players"
                await self._tournaments.ask(held, Open(game.number, table.room, join_by))
            elif table.state.phase is RoomPhase.OVER:
                self._tables.unrecorded.add(table)  # with its record what came of it is carried over
            else:
                self._put_out(table, held.state.kicked)
        except (UnreadableRoom, NoSuchRoom, NoSuchTournament, StoreDown) as error:
            log.debug("a game has to wait", extra={"tournament": held.id, "error": str(error)})
        finally:
            held.playing.discard(game.number)

    def _put_out(self, table: Table, kicked: Collection[PlayerId]) -> None:
        """Let a game be lost by whom the tournament's host put out; where that fails it is tried again."""
        for number, seat in table.state.taken():
            if seat.player.id in kicked and not seat.out:
                table.ask(PutOut(number), lambda _: None)

    async def _table(self, held: Held, game: Game) -> Table:
        """Return the table of a game, its room founded unless it is. Raises UnreadableRoom or StoreDown."""
        try:
            return await self._tables.open(room_of(held.state, game.number))
        except UnreadableRoom:
            raise
        except NoSuchRoom:
            return await self._found(held, game)

    async def _found(self, held: Held, game: Game) -> Table:
        plan = held.state.plan
        persons = [held.state.entrants[player].player for player in game.players]
        begin = partial(
            found_paired,
            mode=plan.mode,
            options=plan.options,
            players=[Player(person.id, person.name) for person in persons],
            skills=await self._ratings.skills_for(game.players, plan.mode, plan.options),
            seed=draw_seed(plan.options),
            join_ms=plan.join_s * _MS,
            tournament=held.id,
        )
        return await self._tables.found(room_of(held.state, game.number), begin)

    async def keep(self, tables: Collection[Table]) -> set[Table]:
        """Carry over what came of games whose rooms are over; return those that need not be seen to any more.

        Raises:
            StoreDown: Some may be carried over; doing it again does no harm.
        """
        done = set()
        for table in tables:
            if table.state.tournament is None or table.state.phase is not RoomPhase.OVER:
                done.add(table)
                continue
            try:
                await self._carry_over(table, await self._tournaments.open(table.state.tournament))
            except NoSuchTournament:
                log.warning("a game is of no tournament", extra={"room": table.room})
            done.add(table)
        return done

    async def _carry_over(self, table: Table, held: Held) -> None:
        for game in held.state.undecided:
            if room_of(held.state, game.number) == table.room:
                came_of_it = outcome(table.state, game.players)
                assert came_of_it is not None, "the room is over"
                await self._tournaments.ask(held, Conclude(game.number, came_of_it))
