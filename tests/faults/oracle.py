"""The judge of all fault tests: what clients saw, held against the logs as they are stored. Pure.

What must hold, whatever was broken meanwhile:

I1  every acknowledged move is in the log at exactly the seq of its acknowledgement, once
I2  the log is one chain from its first event on, and no (seat, n) is in it twice
I3  no refused move is in the log
I4  a move whose answer never came is in the log once or not at all, and nothing is there that nobody sent
I5  a move that was sent after another was acknowledged comes after it
I6  what a player holds is gap-free, and equal to the log at each seq
I7  replaying the log from the empty board gives every board hash in it, and only legal matches
I8  the same as I6 for spectators, whose views begin with a snapshot
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple
from zlib import crc32

from tests.faults.history import History, RoomHistory, Shown, Told, View
from tests.live.proof import chain_after, read
from tests.rules.oracle import OracleGame

INVARIANTS: Final = ("I1", "I2", "I3", "I4", "I5", "I6", "I7", "I8")
MOVES: Final = ("matched", "mistaken", "called", "passed", "resigned")


class Flaw(NamedTuple):
    """Something that must not be."""

    invariant: str
    room: str
    what: str


class Logged(NamedTuple):
    """An entry, taken apart."""

    seq: int
    chain: int
    body: bytes
    event: dict[str, Any]

    @property
    def move(self) -> tuple[int, int] | None:
        """The seat and number of the move that this is, if it is one."""
        event = self.event
        return (event["seat"], event["n"]) if event["kind"] in MOVES else None


def examine(history: History, logs: Mapping[str, Sequence[bytes]]) -> list[Flaw]:
    """List everything that is wrong between what clients saw and the logs, by room."""
    return [
        Flaw(invariant, room, what)
        for room, seen in history.rooms.items()
        for invariant, what in examine_room(seen, logs.get(room, ()))
    ]


def examine_room(seen: RoomHistory, entries: Sequence[bytes]) -> Iterator[tuple[str, str]]:
    """Yield what is wrong in one room."""
    log = [Logged(seq, *read(entry)) for seq, entry in enumerate(entries, 1)]
    yield from (("I1", what) for what in _lost(seen, log))
    yield from (("I2", what) for what in _broken(log))
    yield from (("I3", what) for what in _refused(seen, log))
    yield from (("I4", what) for what in _from_nowhere(seen, log))
    yield from (("I5", what) for what in _disordered(seen, log))
    boards: dict[int, int | None] = {}
    yield from (("I7", what) for what in _replay(log, boards))
    for view in seen.views:
        invariant = "I8" if view.seat is None else "I6"
        yield from ((invariant, f"{view.who}: {what}") for what in _compare(view, log, boards))


def lost(history: History, logs: Mapping[str, Sequence[bytes]]) -> list[float]:
    """Return when the moves were acknowledged that are not in the logs, in their order."""
    moments = []
    for room, seen in history.rooms.items():
        log = [Logged(seq, *read(entry)) for seq, entry in enumerate(logs.get(room, ()), 1)]
        for key, move in seen.moves.items():
            moments += [when for when, seq in move.acknowledged[:1] if not _is_at(key, seq, log)]
    return sorted(moments)


def count(flaws: Sequence[Flaw], *invariants: str) -> int:
    """Count the flaws of some kinds."""
    return sum(flaw.invariant in invariants for flaw in flaws)


# -- moves


def _is_at(move: tuple[int, int], seq: int, log: Sequence[Logged]) -> bool:
    return 1 <= seq <= len(log) and log[seq - 1].move == move


def _lost(seen: RoomHistory, log: Sequence[Logged]) -> Iterator[str]:
    """Find acknowledged moves that are not where they were said to be."""
    for (seat, n), move in seen.moves.items():
        for _, seq in move.acknowledged:
            if not _is_at((seat, n), seq, log):
                yield f"seat {seat} was told that its move {n} is event {seq}: {_at(log, seq)}"
        if len({seq for _, seq in move.acknowledged}) > 1:
            yield f"move {n} of seat {seat} was acknowledged as several events: {move.acknowledged}"


def _broken(log: Sequence[Logged]) -> Iterator[str]:
    """Find where the chain breaks, and moves that were made twice."""
    salt = bytes.fromhex(log[0].event.get("salt", "")) if log else b""
    previous = 0
    for entry in log:
        if chain_after(salt, previous, entry.body) != entry.chain:
            yield f"the chain breaks at event {entry.seq}"
        previous = entry.chain
    for move, times in Counter(entry.move for entry in log if entry.move).items():
        if times > 1:
            yield f"move {move[1]} of seat {move[0]} was made {times} times"


def _refused(seen: RoomHistory, log: Sequence[Logged]) -> Iterator[str]:
    made = {entry.move for entry in log}
    for move, sent in seen.moves.items():
        if sent.refused and move in made:
            yield f"move {move[1]} of seat {move[0]} was refused ({sent.refused}) and made all the same"


def _from_nowhere(seen: RoomHistory, log: Sequence[Logged]) -> Iterator[str]:
    """Find moves that nobody made, or made otherwise. That none was made twice, I2 sees to."""
    for entry in log:
        if entry.move is None:
            continue
        sent = seen.moves.get(entry.move)
        if sent is None:
            yield f"nobody made the move that is event {entry.seq}: {entry.event}"
        elif entry.event["kind"] == "matched" and (entry.event["a"], entry.event["b"]) != sent.pair:
            yield f"event {entry.seq} matched {entry.event['a']} and {entry.event['b']}, not {sent.pair}"


def _disordered(seen: RoomHistory, log: Sequence[Logged]) -> Iterator[str]:
    """Find moves that were sent after another, which is there, was acknowledged, and come before it."""
    moments = [
        (when, True, seq)
        for key, move in seen.moves.items()
        for when, seq in move.acknowledged
        if _is_at(key, seq, log)
    ]
    sent = ((seen.moves[entry.move].sent, entry.seq) for entry in log if entry.move in seen.moves)
    moments += [(when, False, seq) for when, seq in sent]
    highest = 0
    for _, acknowledged, seq in sorted(moments):
        if acknowledged:
            highest = max(highest, seq)
        elif seq <= highest:
            yield f"event {seq} was sent after event {highest} had been acknowledged"


# -- boards and views


def _replay(log: Sequence[Logged], boards: dict[int, int | None]) -> Iterator[str]:
    """Find what the rules do not allow, and wrong hashes; note the hash of the board after each event."""
    game: OracleGame | None = None
    for entry in log:
        event = entry.event
        if event["kind"] == "started":
            game = OracleGame(event["board"])
        elif game is not None and event["kind"] == "matched":
            if (verdict := game.judge(event["a"], event["b"])[0]) != "legal":
                yield f"event {entry.seq} matched a pair that is not legal: {verdict}"
                return
            game.match(event["a"], event["b"])
        elif game is not None and event["kind"] == "added":
            game.add()
        boards[entry.seq] = None if game is None else game.hash()
        if "hash" in event and event["hash"] != boards[entry.seq]:
            yield f"event {entry.seq} has the hash {event['hash']}, the board has {boards[entry.seq]}"
            return


def _compare(view: View, log: Sequence[Logged], boards: Mapping[int, int | None]) -> Iterator[str]:
    """Find where what a client holds is not what the log says."""
    held = 0
    for step in view.steps:
        if isinstance(step, Told) and step.seq != held + 1:
            yield f"event {step.seq} was applied after {held}"
        held = step.seq
        if not 0 < held <= len(log):
            yield f"event {held} was told, but the log ends at {len(log)}"
            return
        if what := _differs(step, log[held - 1], boards.get(held)):
            yield f"event {held}: {what}"


def _differs(step: Told | Shown, entry: Logged, board: int | None) -> str:
    if step.chain != entry.chain:
        return f"the chain is {step.chain}, in the log it is {entry.chain}"
    if isinstance(step, Shown):
        shown = None if step.board is None else crc32(step.board.encode())
        return "" if shown == board else f"the board shown is {step.board}"
    event = entry.event
    told = (step.hash, step.kind, step.seat, step.n)
    stored = (event.get("hash"), event["kind"], event.get("seat"), event.get("n"))
    return "" if told == stored else f"{told} was told, stored is {stored}"


def _at(log: Sequence[Logged], seq: int) -> str:
    return f"it is {log[seq - 1].event}" if 1 <= seq <= len(log) else f"the log ends at {len(log)}"
