"""The sessions that are recorded: each is played against a real server, and written down.

Seeds are named, so that boards are the same every time. Nothing in them depends on how quick a machine is.
"""

from collections.abc import Awaitable, Callable
from typing import Final, NamedTuple

from tests.gateway.meeting import NO_ROOM
from tests.gateway.peer import Peer
from tests.sessions.scribe import Scribe

SEED: Final = "7e" * 32
Others = Callable[[str], Awaitable[Peer]]
Play = Callable[[Scribe, Others], Awaitable[None]]


class Script(NamedTuple):
    """How a session is played."""

    about: str
    play: Play
    raw: bool = False  # it has messages that no client would send which means well


async def _opened(ann: Scribe, mode: str, **options: object) -> str:
    """Connect and make a room with a seat for one more."""
    ann.note("Connect, to /v1, and say who you are: without a token, a new guest.")
    await ann.connect()
    await ann.hello()
    ann.note("Make a room. You sit on seat 0 and are its host.")
    asked = {"seed": SEED, "max_players": 2, "countdown_ms": 0, **options}
    snapshot = await ann.ask("create", mode=mode, options=asked, key="once")
    return str(snapshot["room"])


async def _begun(ann: Scribe, others: Others, mode: str, **options: object) -> tuple[str, Peer]:
    """Make a room and begin a game with Ben; return both."""
    room = await _opened(ann, mode, **options)
    ann.note("Somebody else joins.")
    ben = await others("Ben")
    await ben.ask("join", room=room)
    await ann.event("seated")
    ann.note("Say that you are ready.")
    await ann.ask("ready", room=room, ready=True)
    ann.note("The other is ready, too: the game begins.")
    await ben.ask("ready", room=room, ready=True)
    await ann.event("started")
    return room, ben


async def _moved(ben: Peer, room: str, n: int, **move: object) -> None:
    """Let the other make a match."""
    await ben.send({"t": "match", "room": room, "n": n, **move})
    await ben.find(lambda message: message.get("n") == n and message.get("seat") == 1)


async def race(ann: Scribe, others: Others) -> None:
    room, ben = await _begun(ann, others, "race", size=18)
    ann.note("A pair: move 1. Its event is the answer, and it comes to everyone.")
    await ann.move("match", room, 1, **ann.pair(room))
    ann.note("The other finds one.")
    await _moved(ben, room, 1, **ann.pair(room))
    await ann.event("matched")
    ann.note("Two numbers that do not match: a mistake, and a lock until `locked_until`.")
    await ann.move("match", room, 2, **ann.no_pair(room, "values"))
    ann.note("Say something. It comes back, as to everyone.")
    await ann.chat(room, "Well seen!")
    ann.note("Give up: the other is the last one in, and the game is over.")
    await ann.move("resign", room, 3)
    await ann.event("ended")
    ann.note("Once more? When all want it, the new room is named.")
    await ann.ask("rematch", room=room, want=True)
    await ben.ask("rematch", room=room, want=True)
    await ann.hear(lambda message: message.get("kind") == "rematch" and "from" in message)
    await ann.end()


async def turns(ann: Scribe, others: Others) -> None:
    room, ben = await _begun(ann, others, "turns", size=18)
    ann.note("It is your turn: seat 0 begins.")
    await ann.move("match", room, 1, **ann.pair(room))
    ann.note("Now it is the other's. A move of yours is refused, and costs nothing.")
    await ann.move("match", room, 2, **ann.pair(room))
    ann.note("The other moves.")
    await _moved(ben, room, 1, **ann.pair(room))
    await ann.event("matched")
    ann.note("Let this turn go.")
    await ann.move("pass", room, 3)
    ann.note("The other gives up.")
    await ben.send({"t": "resign", "room": room, "n": 2})
    await ann.event("ended")
    await ann.end()


async def mirror(ann: Scribe, others: Others) -> None:
    room, ben = await _begun(ann, others, "mirror", size=18, adds=1)
    ann.note("A pair on your own board.")
    await ann.move("match", room, 1, **ann.pair(room))
    ann.note("The other finds one: you are told how far they are, and no more.")
    await _moved(ben, room, 1, **ann.pair(room, seat=1))
    await ann.event("progress")
    ann.note("Add: your numbers are copied to the end of your board.")
    await ann.move("add", room, 2)
    ann.note("There is no Add left.")
    await ann.move("add", room, 3)
    ann.note("Give up; then the other does.")
    await ann.move("resign", room, 4)
    await ben.send({"t": "resign", "room": room, "n": 2})
    await ann.event("ended")
    await ann.end()


async def alone(ann: Scribe, others: Others) -> None:
    room = await _opened(ann, "mirror", max_players=1, size=9, adds=1)
    ann.note("Nobody else is waited for: be ready, and it begins.")
    await ann.ask("ready", room=room, ready=True)
    n = 0
    while ann.sheet(room).board.left:
        n += 1
        sheet = ann.sheet(room)
        if sheet.witness is not None:
            ann.note("A pair.")
            answer = await ann.move("match", room, n, **ann.pair(room))
        elif sheet.adds_left:
            ann.note("No pair is left: add.")
            answer = await ann.move("add", room, n)
        assert answer["t"] == "event"
        if not answer["open"] and not sheet.adds_left:
            break
    ann.note("No pair and no Add is left, so it is over: the ranking, and what the deal came from.")
    await ann.event("ended")
    await ann.end()


async def back(ann: Scribe, others: Others) -> None:
    room, ben = await _begun(ann, others, "race", size=27)
    await ann.move("match", room, 1, **ann.pair(room))
    ann.note("The connection breaks.")
    await ann.cut()
    ann.note("Meanwhile the game goes on. Connect again, with the token of the last welcome.")
    await _moved(ben, room, 1, **ann.pair(room))
    await _moved(ben, room, 2, **ann.pair(room))
    await ann.connect()
    await ann.hello()
    ann.note("Join with the `seq` and `chain` of the last event that you hold: you get what you missed.")
    await ann.ask("join", room=room, after=ann.seq, chain=ann.chain)
    ann.note("Your next move has the next number.")
    await ann.move("match", room, 2, **ann.pair(room))
    await ann.end()


async def watch(ann: Scribe, others: Others) -> None:
    ben, cid = await others("Ben"), await others("Cid")
    options = {"seed": SEED, "size": 18, "countdown_ms": 0}
    room = (await ben.ask("create", mode="race", options=options))["room"]
    for player in (ben, cid):
        await player.ask("join", room=room)
    for player in (ben, cid):
        await player.ask("ready", room=room, ready=True)
    await cid.find(lambda message: message.get("kind") == "started")
    await ann.connect()
    await ann.hello()
    ann.note("Watch a game of two others: `seat` is null.")
    await ann.ask("join", room=room, watch=True)
    ann.note("They play.")
    await _moved(cid, room, 1, **ann.pair(room))
    await ann.event("matched")
    await ben.send({"t": "resign", "room": room, "n": 1})
    await ann.event("ended")
    ann.note("Leave.")
    await ann.ask("leave", room=room)
    await ann.end()


async def errors(ann: Scribe, others: Others) -> None:
    await ann.connect()
    ann.note("Anything before hello.")
    await ann.ask("lobby", on=True)
    await ann.hello()
    ann.note("A type that there is not.")
    await ann.ask("dance")
    ann.note("A field that is missing; one that cannot be so; two that exclude each other.")
    await ann.ask("ready", room=NO_ROOM)
    await ann.ask("kick", room=NO_ROOM, seat=10)
    await ann.ask("join", room=NO_ROOM, code="h4tr9z")
    ann.note("A room that there is not.")
    await ann.ask("join", room=NO_ROOM)
    ann.note("A room that one is not in: a move is refused, anything else is an error.")
    await ann.move("match", NO_ROOM, 1, a=0, b=1, seen=0)
    await ann.ask("ready", room=NO_ROOM, ready=True)
    ann.note("Options: one that there is not, one out of range.")
    await ann.ask("create", mode="race", options={"speed": 3})
    await ann.ask("create", mode="race", options={"size": 8})
    await ann.ask("create", mode="chess")
    room = str((await ann.ask("create", mode="turns", options={"seed": SEED, "size": 18}))["room"])
    ann.note("Too early for a move, and for a start alone.")
    await ann.move("match", room, 1, a=0, b=1, seen=0)
    await ann.ask("start", room=room)
    ann.note("Not allowed: kicking oneself.")
    await ann.ask("kick", room=room, seat=0)
    ann.note("Join after an event that this room never had: a snapshot with `reset`.")
    await ann.ask("join", room=room, after=77, chain=7)
    await ann.end()


SCRIPTS: Final[dict[str, Script]] = {
    "race": Script("A race of two: a match, a mistake, chat, giving up, a rematch.", race),
    "turns": Script("A game in turns: whose turn it is, a refusal, a pass, the clocks.", turns),
    "mirror": Script("A mirror game of two: what one is told of the other, Adds.", mirror),
    "alone": Script("A mirror game alone, played to its end.", alone),
    "back": Script("A connection that breaks in mid-game; what was missed is told.", back),
    "watch": Script("Watching a game of two others.", watch),
    "errors": Script("What the server says to messages that are wrong.", errors, raw=True),
}
