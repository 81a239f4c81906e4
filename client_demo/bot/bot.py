"""A player of your own to start from: `python bot.py [URL] [ROOM]`.

With a room's code it plays there, else whoever looks for an opponent, or after 15 s the computer. What it
does well is yours to say: `choose`.
"""

import asyncio
import random
import sys

from tenmatch.client import Answer, Client, ClientError, Mode, Phase, Refused, Room, State, pair_points

REFLECTION_S = (0.8, 2.0)  # from the least to the most: nobody likes to play against lightning


def choose(state: State) -> tuple[int, int] | None:
    """Return the pair to claim, by the ids of its numbers: the one worth most; None where there is none."""
    board = state.board
    assert board is not None, "no board before the start"
    return max(state.pairs(), key=lambda pair: pair_points(board, *pair), default=None)


async def move(room: Room) -> Answer:
    """Make one move, on the room as it is now."""
    if (pair := choose(room.state)) is not None:
        return await room.match(*pair)
    if room.state.mode is Mode.RACE:
        return await room.call()  # whoever first sees that no pair is left gets points for it
    return await (room.add() if room.state.mode is Mode.MIRROR else room.pass_turn())


def may_move(state: State) -> bool:
    """Tell whether it is for us to move."""
    plays = state.phase is Phase.PLAYING and state.me is not None and not state.me.out
    return plays and state.turn in (None, state.viewer)


async def play(room: Room) -> State:
    """Play a whole game; return how it ended."""
    if room.state.phase is Phase.OPEN:
        await room.ready()
    while room.state.phase is not Phase.OVER:
        seen, answer = room.state.seq, None
        if may_move(room.state):
            await asyncio.sleep(random.uniform(*REFLECTION_S))
            answer = await move(room)
        if answer is None or isinstance(answer, Refused):  # not our turn, or another was faster
            await room.beyond(seen)
    return room.state


async def main(url: str = "http://127.0.0.1:8765", code: str = "") -> None:
    """Find somebody, play, and say how it went."""
    async with Client(url, name="My bot", agent="my-bot/1") as client:
        if not code:
            print("Looking for an opponent; after 15 s the computer will do.")
        room = await (client.join(code) if code else client.quick_match("race", computer=True))
        print(f"Playing in room {room.code}")
        for rank in (await play(room)).ranking or ():
            print(f"{rank.place}. seat {rank.seat}: {rank.score} points, {rank.mistakes} mistakes")


if __name__ == "__main__":
    try:
        asyncio.run(main(*sys.argv[1:]))
    except ClientError as error:
        sys.exit(f"bot: {error}")
