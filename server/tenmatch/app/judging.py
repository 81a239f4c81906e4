"""`tenmatch judge`: one question about a board a line, one answer a line, both JSON.

For whoever writes a client in another language and wants to compare its rules with ours. Cells are
`[row, column]` from 0. Keys that mean nothing here are ignored.

    {"board": "3..7", "a": [0, 0], "b": [0, 3]}                        what that match does, or why it is none
    {"board": "3..7", "add": true}                                     the board after an Add
    {"board": "3..7", "pairs": true}                                   all legal pairs, in reading order
    {"deal": {"seed": "64 hex digits", "size": 35, "deal": "random"}}  the board dealt from a seed
"""

import json
from collections.abc import Callable, Mapping
from typing import Final, NoReturn, TypeAlias

from tenmatch.rules.board import COLUMNS, Board, added, may_add
from tenmatch.rules.deal import DealError, DealKind, commitment, deal
from tenmatch.rules.judge import Fault, Refusal, pairs
from tenmatch.rules.lines import open_lines
from tenmatch.rules.notation import NotationError, parse, text
from tenmatch.rules.score import try_match

Reply: TypeAlias = dict[str, object]

MAX_LINE: Final = 65_536  # characters
MAX_DIGITS: Final = 100

_NOT_DEALT: Final = -1
# Whoever names cells is told of cells.
_CODES: Final = {Fault.NO_SUCH_NUMBER: "no_such_cell", Fault.SAME_NUMBER: "same_cell"}


class NoQuestion(ValueError):
    """A line asks nothing that can be answered; the message says why."""


def answer(line: str) -> str:
    """Answer one line, whatever is in it; `{"error": …}` says why a line is no question."""
    try:
        reply = _reply(_read(line))
    except (NoQuestion, NotationError, DealError) as error:
        reply = {"error": str(error)}
    return json.dumps(reply, separators=(",", ":"))


def _read(line: str) -> Mapping[str, object]:
    if len(line) > MAX_LINE:
        raise NoQuestion(f"the line has {len(line)} characters; at most {MAX_LINE} are read")
    try:
        value = json.loads(line, object_pairs_hook=_unique, parse_int=_whole, parse_constant=_no_value)
    except RecursionError:
        raise NoQuestion("the line is nested too deeply") from None
    except json.JSONDecodeError as error:
        raise NoQuestion(f"not JSON: {error}") from None
    if not isinstance(value, dict):
        raise NoQuestion(f"a line is a JSON object, not {_named(value)}")
    return value


def _unique(members: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(members)
    if len(found) < len(members):
        raise NoQuestion("a key stands twice in one object")
    return found


def _whole(digits: str) -> int:
    # Python refuses to read some thousands of digits, and nobody has a use for them.
    if len(digits) > MAX_DIGITS:
        raise NoQuestion(f"a number has {len(digits)} digits; at most {MAX_DIGITS} are read")
    return int(digits)


def _no_value(name: str) -> NoReturn:
    raise NoQuestion(f"not JSON: {name} is no JSON value")


def _reply(line: Mapping[str, object]) -> Reply:
    known = frozenset(line) & _KEYS
    if known not in _QUESTIONS:
        asked = ", ".join(sorted(known)) or "none of these"
        raise NoQuestion(
            f"a line has the keys board, a, b or board, add or board, pairs or deal; here: {asked}"
        )
    return _QUESTIONS[known](line)


def _match(line: Mapping[str, object]) -> Reply:
    board = _board(line)
    # A board read from text has its ids in reading order, so a cell's index is its number's id.
    a, b = _number(board, line, "a"), _number(board, line, "b")
    found = try_match(board, a, b)
    if isinstance(found, Refusal):
        reply: Reply = {"verdict": _CODES.get(found.code, found.code)}
        if found.blockers:
            reply["blockers"] = [divmod(number, COLUMNS) for number in found.blockers]
        return reply
    played = found.played
    return {
        "verdict": "legal",
        "families": [line.family for line in open_lines(board.digits, min(a, b), max(a, b))],
        "kind": found.kind,
        "pair_points": found.pair_points,
        "row_points": found.row_points,
        "cleared": played.board.cleared,
        "rows": played.rows,
        "after": text(played.board),
    }


def _add(line: Mapping[str, object]) -> Reply:
    board = _board(line)
    _must_be_true(line, "add")
    if board.cleared:
        return {"verdict": "cleared"}
    return {"after": text(added(board))} if may_add(board) else {"verdict": "board_full"}


def _pairs(line: Mapping[str, object]) -> Reply:
    board = _board(line)
    _must_be_true(line, "pairs")
    return {"pairs": [[divmod(a, COLUMNS), divmod(b, COLUMNS)] for a, b in pairs(board)]}


def _deal(line: Mapping[str, object]) -> Reply:
    wanted = line["deal"]
    if not isinstance(wanted, dict):
        raise NoQuestion(f"deal must be an object, not {_named(wanted)}")
    kind, seed, size = _kind(wanted.get("deal")), _seed(wanted.get("seed")), wanted.get("size")
    if type(size) is not int:
        raise NoQuestion(f"size must be a whole number, not {_named(size)}")
    dealt = deal(seed, size, kind)
    commit = None if seed is None else commitment(seed)
    return {"board": text(dealt.board), "attempt": dealt.attempt, "commit": commit}


_Question: TypeAlias = Callable[[Mapping[str, object]], Reply]
_QUESTIONS: Final[dict[frozenset[str], _Question]] = {
    frozenset({"board", "a", "b"}): _match,
    frozenset({"board", "add"}): _add,
    frozenset({"board", "pairs"}): _pairs,
    frozenset({"deal"}): _deal,
}
_KEYS: Final = frozenset[str]().union(*_QUESTIONS)


def _board(line: Mapping[str, object]) -> Board:
    board = line["board"]
    if not isinstance(board, str):
        raise NoQuestion(f"board must be a text, not {_named(board)}")
    return parse(board)


def _number(board: Board, line: Mapping[str, object], key: str) -> int:
    cell = line[key]
    if not (isinstance(cell, list) and len(cell) == 2 and all(type(n) is int and n >= 0 for n in cell)):
        shown = f"[{', '.join(map(_named, cell))}]" if isinstance(cell, list) else _named(cell)
        raise NoQuestion(f"{key} must be [row, column], two whole numbers from 0, not {shown:.80}")
    row, column = cell
    number: int = row * COLUMNS + column
    return number if column < COLUMNS and number < len(board.digits) else _NOT_DEALT


def _must_be_true(line: Mapping[str, object], key: str) -> None:
    if line[key] is not True:
        raise NoQuestion(f"{key} must be true, not {_named(line[key])}")


def _kind(name: object) -> DealKind:
    for kind in DealKind:
        if kind == name:
            return kind
    raise NoQuestion(f"deal in deal must be one of {', '.join(DealKind)}, not {_named(name)}")


def _seed(seed: object) -> bytes | None:
    if seed is None:
        return None
    if not (isinstance(seed, str) and len(seed) == 64 and set(seed) <= set("0123456789abcdefABCDEF")):
        raise NoQuestion(f"seed must be 64 hex digits, or null for the classic deal, not {_named(seed)}")
    return bytes.fromhex(seed)


def _named(value: object) -> str:
    """Say a JSON value in a message, briefly."""
    # Lists and objects could be nested as deeply as can be read, and then not be written any more.
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "a list"
    shown = json.dumps(value)
    return shown if len(shown) <= 40 else f"{shown[:40]}…"
