"""Who says hello: who that is, where another issuer has to be asked, and in which rooms they still sit."""

from tenmatch import __version__
from tenmatch.game.ids import PlayerId, RoomId
from tenmatch.game.room import Phase
from tenmatch.gateway.keyset import KeysUnavailable
from tenmatch.gateway.session import Session
from tenmatch.gateway.tables import NoSuchRoom, Tables, UnreadableRoom
from tenmatch.protocol import from_client, to_client
from tenmatch.protocol.limits import FRAME_BYTES, ErrorCode
from tenmatch.protocol.maps import LimitsMap, PersonMap
from tenmatch.store import players
from tenmatch.store.connect import Store


class Welcome:
    """Welcomes players to this node."""

    def __init__(self, store: Store, tables: Tables, *, node: str, chat: bool) -> None:
        """Prepare.

        Args:
            node: The name of this node.
            chat: Whether anybody talks on this server.
        """
        self._store = store
        self._tables = tables
        self._node = node
        self._chat = chat

    async def prove(self, session: Session, hello: from_client.Hello) -> bool:
        """Find out whose token of another issuer's that is; return whether the session is theirs now.

        Raises:
            PeerError: The connection has to end.
        """
        try:
            proof = await session.prove(hello)
        except KeysUnavailable:
            session.fail(ErrorCode.UNAVAILABLE, "the issuer of the token cannot be asked now", re=hello.id)
            return False
        return not session.over and session.become(hello, proof)

    async def greet(self, session: Session, re: int | None) -> None:
        """Tell a session who it is, and in which rooms the player still sits. Raises StoreDown."""
        person, limits = session.whom, session.limits
        seated = [
            room for room in await players.seated(self._store, person.id) if await self._sits(room, person.id)
        ]
        session.send(
            to_client.Welcome(
                re=re,
                player=PersonMap(id=person.id, name=person.name),
                token=session.sign(),
                seated=seated,
                node=self._node,
                version=__version__,
                time=self._store.clock.now(),
                limits=LimitsMap(
                    frame=FRAME_BYTES,
                    messages_per_s=int(limits.messages_per_s),
                    matches_per_s=int(limits.matches_per_s),
                ),
                chat=self._chat,
            )
        )

    async def _sits(self, room: RoomId, player: PlayerId) -> bool:
        """Ask the room itself: the index of seats may lag behind."""
        try:
            table = await self._tables.open(room)
        except UnreadableRoom:
            return False
        except NoSuchRoom:
            await players.unseat(self._store, player, room)
            return False
        return table.state.phase is not Phase.OVER and table.state.seat_of(player) is not None
