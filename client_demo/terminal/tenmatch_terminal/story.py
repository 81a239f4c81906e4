"""What happened, in a sentence for people."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from tenmatch.client import (
    TEAMS,
    Added,
    Called,
    Denied,
    Ended,
    EndReason,
    Flagged,
    Matched,
    Mistaken,
    Passed,
    Progress,
    Rank,
    Readied,
    Refused,
    Rematch,
    Resigned,
    Seated,
    Shifted,
    Started,
    State,
    Step,
    Unseated,
)

WHY: Final[Mapping[str, str]] = {
    "no_such_number": "there is no such number",
    "same_number": "that is one number",
    "inactive": "already taken",
    "values": "neither equal nor ten",
    "not_connected": "these two are on no line",
    "blocked": "something lies between them",
    "pairs_left": "there is a pair left",
    "stale": "somebody was first",
    "locked": "wait until your lock is over",
    "not_your_turn": "it is not your turn",
    "not_seated": "you only watch",
    "not_playing": "nothing is being played",
    "out": "you are out",
    "done": "nothing is left to do on your board",
    "no_add": "no Add is possible now",
    "wrong_mode": "there is no such move in this mode",
}
ENDS: Final[Mapping[EndReason, str]] = {
    EndReason.CLEARED: "the board is cleared",
    EndReason.STUCK: "nothing is left to do",
    EndReason.TIME: "time is up",
    EndReason.LAST_ONE_IN: "only one is left",
    EndReason.ABANDONED: "nobody is left",
}


def name(state: State, seat: int) -> str:
    """Return who sits there; "You" for oneself."""
    if seat == state.viewer:
        return "You"
    sitter = state.seats[seat]
    return sitter.player.name if sitter else f"seat {seat + 1}"


def team_name(state: State, team: int) -> str:
    """Return what a team is called."""
    mine = state.viewer is not None and state.teams is not None and state.teams[state.viewer] == team
    return "Your team" if mine else f"Team {'AB'[team]}"


def points(state: State, seats: Iterable[int]) -> int:
    """Return the points of those who sit there together."""
    return sum(sitter.score for seat in seats if (sitter := state.seats[seat]) is not None)


def why_not(answer: Refused | Denied) -> str:
    """Say why a move was not made, or a request not carried out."""
    if isinstance(answer, Denied):
        return answer.text or answer.code
    return WHY.get(answer.code, answer.code)


def told(step: Step) -> tuple[int | None, str] | None:
    """Return whose doing an event is, and what to say of it; None where there is nothing to say."""
    match step.event:
        case Seated(seat=seat):
            return seat, "sat down"
        case Unseated(seat=seat, reason=reason):
            return None, f"{name(step.before, seat)} {'was sent away' if reason == 'kicked' else 'left'}"
        case Readied(seat=seat, ready=ready):
            return seat, "ready" if ready else "not ready any more"
        case Started():
            return None, "The game begins."
        case Matched(seat=seat, a=a, b=b, rows=rows, points=points):
            return seat, f"{_pair(step.before, seat, a, b)}{_rows(len(rows))}, +{points}"
        case Mistaken(seat=seat, points=points) as mistaken:
            return seat, f"{mistake(step.before, mistaken)}, {points}"
        case Called(seat=seat, points=points):
            return seat, f"saw that no pair is left, +{points}"
        case Added(seat=None, digits=digits):
            return None, f"{len(digits)} numbers are added."
        case Added(seat=int(seat), digits=digits):
            return seat, f"added {len(digits)} numbers"
        case Progress(seat=seat, left=left, score=score):
            return seat, f"{left} numbers left, {score} points"
    return _rest(step)


def _rest(step: Step) -> tuple[int | None, str] | None:
    match step.event:
        case Passed(seat=seat):
            return seat, "lets the turn go"
        case Flagged(seat=seat):
            return seat, "ran out of time"
        case Resigned(seat=seat):
            return seat, "gives up"
        case Shifted(by_ms=by_ms):
            return None, f"The server was away; {by_ms / 1000:.0f} s are given back."
        case Ended(reason=reason):
            return None, f"The game is over: {ENDS[reason]}."
        case Rematch(seat=int(seat), want=want):
            return seat, "wants a rematch" if want else "wants no rematch any more"
    return None


def mistake(before: State, event: Mistaken) -> str:
    """Say what was wrong with a claim or a call."""
    board = before.board_of(event.seat)
    if event.code == "blocked" and board is not None and event.a is not None and event.b is not None:
        cells = [board.cell_of(number) for number in (*(event.blockers or ())[:1], event.a, event.b)]
        digits = [board.digits[cell] for cell in cells if cell is not None]
        if len(digits) == 3:
            return f"{digits[0]} lies between {digits[1]} and {digits[2]}"
    return WHY.get(event.code, event.code)


def _pair(before: State, seat: int, a: int, b: int) -> str:
    board = before.board_of(seat)
    cells = [] if board is None else [board.cell_of(a), board.cell_of(b)]
    digits = [board.digits[cell] for cell in cells if board is not None and cell is not None]
    if len(digits) != 2:
        return "a pair"
    return f"{digits[0]} {'=' if digits[0] == digits[1] else '+'} {digits[1]}"


def _rows(closed: int) -> str:
    return "" if not closed else ", a row closed" if closed == 1 else ", two rows closed"


def result(state: State) -> str:
    """Say how a game ended."""
    ranking = state.ranking or ()
    winners = [rank for rank in ranking if rank.place == 1]
    if state.teams is not None and winners:
        return _result_of_teams(state, state.teams, winners)
    if not winners or len(ranking) == 1:
        return "The game is over." if not winners else f"{winners[0].score} points."
    if len(winners) > 1:
        return f"A draw at {winners[0].score} points."
    verb = "win" if winners[0].seat == state.viewer else "wins"
    if winners[0].score < max(rank.score for rank in ranking):
        return f"{name(state, winners[0].seat)} {verb}: who had more points is out."
    others = ", ".join(str(rank.score) for rank in ranking if rank.place != 1)
    return f"{name(state, winners[0].seat)} {verb}, {winners[0].score} to {others}."


def _result_of_teams(state: State, teams: Sequence[int | None], winners: Sequence[Rank]) -> str:
    """Say which team has won: the lines of a team's players share its place."""
    sums = [points(state, (seat for seat, one in enumerate(teams) if one == team)) for team in range(TEAMS)]
    won = {teams[rank.seat] for rank in winners}
    if len(won) > 1:
        return f"A draw at {sums[0]} points."
    first = won.pop() or 0
    return f"{team_name(state, first)} wins, {sums[first]} to {sums[1 - first]}."
