"""What clients ask of tournaments (server/protocol.md, "Tournaments")."""

import secrets
from collections.abc import Sequence
from typing import Final, assert_never

from tenmatch.game.answers import Denied
from tenmatch.game.events import Player
from tenmatch.game.ids import Millis, TournamentId
from tenmatch.game.options import BadOptions, Mode
from tenmatch.game.tournament.decide import Begin, Command, Enter, Kick, Withdraw, announced
from tenmatch.game.tournament.events import Invitee
from tenmatch.game.tournament.plan import Plan, planned
from tenmatch.gateway.draws import draw_tournament
from tenmatch.gateway.framing import frame
from tenmatch.gateway.quota import Quota
from tenmatch.gateway.ratings import Ratings
from tenmatch.gateway.readable import clean, clean_name
from tenmatch.gateway.session import Session
from tenmatch.gateway.tournament.held import Held
from tenmatch.gateway.tournament.tournaments import NoSuchTournament, Tournaments, UnreadableTournament
from tenmatch.protocol import from_client
from tenmatch.protocol.limits import RESUMED_EVENTS, ErrorCode
from tenmatch.store import counted, players
from tenmatch.store.connect import Store, StoreDown
from tenmatch.store.log import Head

FOLLOWED: Final = 10  # tournaments that a connection watches at once


class TournamentDesk:
    """Carries out what sessions ask of tournaments."""

    def __init__(
        self, store: Store, tournaments: Tournaments, ratings: Ratings, *, quota: Quota, per_address: int
    ) -> None:
        """Make the desk of a node.

        Args:
            quota: How many tournaments may be announced.
            per_address: Players who may sign up for one from the same address, at most; 0 lifts it.
        """
        self._per_address = per_address
        self._quota = quota
        self._store = store
        self._tournaments = tournaments
        self._ratings = ratings

    async def carry_out(self, session: Session, message: from_client.AnyTournamentRequest) -> None:
        """Carry out a request and answer it.

        Raises:
            StoreDown: It is not known what became of it; asking again does no harm.
        """
        try:
            await self._carry_out(session, message)
        except UnreadableTournament:
            text = "this tournament cannot be had here now: try again"
            session.fail(ErrorCode.UNAVAILABLE, text, re=message.id)
        except NoSuchTournament:
            text = "there is no such tournament, or it has ended long ago"
            session.fail(ErrorCode.NO_SUCH_TOURNAMENT, text, re=message.id)
        except BadOptions as error:
            session.fail(ErrorCode.BAD_OPTIONS, error.text, re=message.id, field=error.field)

    def leave(self, session: Session) -> None:
        """Let a session watch nothing any more."""
        self._tournaments.leave(session)

    async def _carry_out(self, session: Session, message: from_client.AnyTournamentRequest) -> None:
        match message:
            case from_client.CreateTournament():
                await self._create(session, message)
            case from_client.WatchTournament(on=False):
                held = self._tournaments.loaded.get(message.tournament)
                if held is not None:
                    held.followers.discard(session)
                session.done(message.id)
            case from_client.WatchTournament():
                await self._watch(session, message)
            case from_client.EnterTournament():
                await self._enter(session, message)
            case from_client.LeaveTournament():
                await self._withdraw(session, message)
            case from_client.KickFromTournament():
                held = await self._tournaments.open(message.tournament)
                await self._ask(session, held, message.id, Kick(session.whom.id, message.player))
            case from_client.StartTournament():
                held = await self._tournaments.open(message.tournament)
                await self._ask(session, held, message.id, Begin(session.whom.id))
            case _:
                assert_never(message)

    async def _ask(self, session: Session, held: Held, re: int | None, command: Command) -> None:
        self._answer(session, re, await self._tournaments.ask(held, command))

    def _answer(self, session: Session, re: int | None, denied: Denied | None) -> None:
        if denied is not None:
            session.fail(ErrorCode(denied.code), denied.text, re=re)
        else:
            session.done(re)

    async def _create(self, session: Session, message: from_client.CreateTournament) -> None:
        plan, title = _planned(message), clean(message.title)
        if not title:
            raise BadOptions("title", "there is nothing to read in it")
        id = draw_tournament()
        if message.key is not None:
            made = await players.made(self._store, session.whom.id, f"tournament {message.key}", id)
            id = TournamentId(made)
        host = await self._player(session, plan.mode)
        invited = None if message.players is None else _invited(message.players)
        now = self._store.clock.now()
        happened = announced(
            title=title,
            plan=plan,
            private=bool(message.private),
            host=host,
            enters=bool(message.enter),
            invited=invited,
            starts_at=None if message.starts_in_s is None else Millis(now + message.starts_in_s * 1000),
            seed=secrets.token_bytes(32),
            salt=secrets.token_bytes(16),
            now=now,
        )
        if len(happened.tournament.invited) > plan.most:
            raise BadOptions("players", f"{plan.most} can play")
        refusal = await self._quota.refusal(session, id)
        if refusal is not None:
            session.fail(ErrorCode.TOO_MANY_ROOMS, refusal, re=message.id)
            return
        if message.enter:
            await self._may_come(session, id)  # as the first: it only counts
        held = await self._tournaments.found(id, happened)
        self._show(session, held, message.id, None)

    # -- who plays

    async def _enter(self, session: Session, message: from_client.EnterTournament) -> None:
        held = await self._tournaments.open(message.tournament)
        limited = held.state.plan.open and session.whom.id not in held.state.entrants
        if limited and not await self._may_come(session, held.id):
            text = f"{self._per_address} players from one address are all that may sign up for a tournament"
            session.fail(ErrorCode.ROOM_FULL, text, re=message.id)
            return
        player = await self._player(session, held.state.plan.mode)
        denied = await self._tournaments.ask(held, Enter(player))
        await self._count_no_more(session, held)
        self._answer(session, message.id, denied)

    async def _withdraw(self, session: Session, message: from_client.LeaveTournament) -> None:
        held = await self._tournaments.open(message.tournament)
        denied = await self._tournaments.ask(held, Withdraw(session.whom.id))
        await self._count_no_more(session, held)
        self._answer(session, message.id, denied)

    async def _may_come(self, session: Session, id: TournamentId) -> bool:
        """Count who is to sign up among those of their address; return False where there are enough."""
        limit, at = self._per_address, counted.entrants_from(session.site, id)
        return not limit or await counted.count(self._store, at, session.whom.id, limit)

    async def _count_no_more(self, session: Session, held: Held) -> None:
        """Make room for another of the same address where somebody did not sign up, or is not in it any more.

        Whoever was put out still counts: else an address could send one after the other.
        """
        who, state = session.whom.id, held.state
        if self._per_address and who not in state.entrants and who not in state.kicked:
            await counted.forget(self._store, counted.entrants_from(session.site, held.id), who)

    async def _player(self, session: Session, mode: Mode) -> Player:
        person = session.whom
        return Player(person.id, person.name, rating=await self._ratings.rating(person.id, mode))

    async def _watch(self, session: Session, message: from_client.WatchTournament) -> None:
        held = await self._tournaments.open(message.tournament)
        await self._tournaments.ask(held, None)  # we may be the one who is behind
        after = None
        if message.after is not None and message.chain is not None:
            after = Head(message.after, message.chain)
        self._show(session, held, message.id, after)

    def _show(self, session: Session, held: Held, re: int | None, after: Head | None) -> None:
        """Tell a session how a tournament stands; from here on it is told every event."""
        followed = sum(session in each.followers for each in self._tournaments.loaded.values())
        if session not in held.followers and followed >= FOLLOWED:
            text = f"{FOLLOWED} tournaments are all that one connection can watch"
            session.fail(ErrorCode.NOT_ALLOWED, text, re=re)
        elif self._tournaments.loaded.get(held.id) is not held:
            raise StoreDown("the tournament was unloaded while it was asked for")
        elif not session.over:
            many = after is not None and held.head.seq - after.seq > RESUMED_EVENTS
            shown = held.snapshot(re) if after is None or many else held.resumed(re, after)
            session.write(frame(session.codec, shown))
            held.followers.add(session)


def _planned(message: from_client.CreateTournament) -> Plan:
    return planned(
        format=message.format,
        mode=message.mode,
        options=message.options or {},
        most=message.most,
        join_s=message.join_s,
        minutes=message.minutes,
        open=message.players is None,
    )


def _invited(players: Sequence[from_client.Invited]) -> list[Invitee]:
    named = {one.id: clean_name(one.name) for one in players}
    if not all(named.values()):
        raise BadOptions("players", "each has a name")
    return [Invitee(id=id, name=name) for id, name in named.items() if name]
