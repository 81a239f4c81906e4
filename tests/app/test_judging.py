"""tenmatch.app.judging: `tenmatch judge` answers every line, also the hostile ones."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tenmatch.app.judging import MAX_LINE, answer

Position = dict[str, Any]

POSITIONS: dict[str, list[Position]] = json.loads(
    (Path(__file__).parent.parent / "vectors" / "positions.json").read_text()
)
SEED = "0f495338f1657eb0ab417c0c61f8f88dc8d718ab98193166e3cefb368984d5b5"
# What a position says beside the question and the answer.
REMARKS = {"id", "why", "board", "a", "b"}


def asked(**question: object) -> Any:
    return json.loads(answer(json.dumps(question)))


def error(line: str) -> str:
    reply = json.loads(answer(line))
    assert list(reply) == ["error"]
    message = reply["error"]
    assert isinstance(message, str)
    return message


@pytest.mark.parametrize("position", [pytest.param(p, id=p["id"]) for p in POSITIONS["match"]])
def test_matches(position: Position) -> None:
    expected = {key: value for key, value in position.items() if key not in REMARKS}
    assert asked(board=position["board"], a=position["a"], b=position["b"]) == expected
    assert asked(board=position["board"], a=position["b"], b=position["a"]) == expected


@pytest.mark.parametrize("position", [pytest.param(p, id=p["id"]) for p in POSITIONS["add"]])
def test_adds(position: Position) -> None:
    assert asked(board=position["board"], add=True) == {"after": position["add"]}


@pytest.mark.parametrize("position", [pytest.param(p, id=p["id"]) for p in POSITIONS["refused"]])
def test_adds_that_are_not_possible(position: Position) -> None:
    assert asked(board=position["board"], add=True) == {"verdict": position["add"]}


@pytest.mark.parametrize("position", [pytest.param(p, id=p["id"]) for p in POSITIONS["pairs"]])
def test_pairs(position: Position) -> None:
    assert len(asked(board=position["board"], pairs=True)["pairs"]) == position["pairs"]


def test_pairs_are_cells_in_reading_order() -> None:
    reply = asked(board="5......../5..5...../.......5.", pairs=True)
    assert reply == {"pairs": [[[0, 0], [1, 0]], [[1, 0], [1, 3]], [[1, 3], [2, 7]]]}


@pytest.mark.parametrize(
    "position", [pytest.param(p, id=f"{p['deal']}-{p['size']}") for p in POSITIONS["deal"]]
)
def test_deals(position: Position) -> None:
    reply = asked(deal={key: position[key] for key in ("seed", "size", "deal")})
    assert reply == {key: position[key] for key in ("board", "attempt", "commit")}


def test_the_keys_of_an_answer_stand_in_the_documented_order() -> None:
    assert answer('{"board":"1.9","a":[0,0],"b":[0,2]}') == (
        '{"verdict":"legal","families":["horizontal"],"kind":"far","pair_points":4,"row_points":0,'
        '"cleared":true,"rows":[0],"after":""}'
    )
    assert answer('{"board":"129","a":[0,0],"b":[0,2]}') == '{"verdict":"blocked","blockers":[[0,1]]}'


def test_a_classic_deal_needs_no_seed_and_hex_may_be_upper_case() -> None:
    assert asked(deal={"size": 27, "deal": "classic"})["board"] == "123456789/111213141/516171819"
    wanted = {"size": 35, "deal": "random"}
    assert asked(deal={"seed": SEED.upper(), **wanted}) == asked(deal={"seed": SEED, **wanted})


def test_a_cell_that_the_board_does_not_have() -> None:
    for cell in ([0, 9], [1, 2], [2, 0], [10**30, 0], [0, 10**30]):
        assert asked(board="123456789/12", a=[0, 0], b=cell) == {"verdict": "no_such_cell"}
    assert asked(board="123456789", a=[0, 9], b=[0, 9]) == {"verdict": "no_such_cell"}


def test_keys_that_mean_nothing_are_ignored() -> None:
    assert asked(board="55", a=[0, 0], b=[0, 1], why="touching", id=7)["verdict"] == "legal"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", "not JSON"),
        ("\n", "not JSON"),
        ("hello", "not JSON"),
        ("\ufeff{}", "not JSON"),
        ('{"board":"55","pairs":true}{}', "not JSON"),
        ('{"board":"55","pairs":true', "not JSON"),
        ("{'board':'55','pairs':true}", "not JSON"),
        ('{"board":"55","pairs":NaN}', "NaN is no JSON value"),
        ('{"board":"55","x":-Infinity,"pairs":true}', "-Infinity is no JSON value"),
        ("[" * 50_000, "nested too deeply"),
        ('{"a":' * 10_000, "nested too deeply"),
        ('{"board":"55","pairs":true,"x":' + "[" * 30_000 + "]" * 30_000 + "}", "nested too deeply"),
        (" " * (MAX_LINE + 1), "at most 65536"),
        ('{"board":"55","a":[0,' + "9" * 5000 + '],"b":[0,1]}', "5000 digits; at most 100"),
        ("null", "a line is a JSON object, not null"),
        ("[]", "not a list"),
        ("5", "not 5"),
        ('"55"', 'not "55"'),
        ("1e400", "not Infinity"),
        ("{}", "here: none of these"),
        ('{"board":"55"}', "here: board"),
        ('{"board":"55","a":[0,0]}', "here: a, board"),
        ('{"a":[0,0],"b":[0,1]}', "here: a, b"),
        ('{"board":"55","add":true,"pairs":true}', "here: add, board, pairs"),
        ('{"board":"55","a":[0,0],"b":[0,1],"add":true}', "here: a, add, b, board"),
        ('{"board":"55","deal":{}}', "here: board, deal"),
        ('{"Board":"55","pairs":true}', "here: pairs"),
        ('{"board":"55","board":"55","pairs":true}', "a key stands twice"),
        ('{"deal":{"size":27,"size":27,"deal":"classic"}}', "a key stands twice"),
        ('{"board":null,"pairs":true}', "board must be a text, not null"),
        ('{"board":55,"pairs":true}', "board must be a text, not 55"),
        ('{"board":["55"],"add":true}', "board must be a text, not a list"),
        ('{"board":{},"a":[0,0],"b":[0,1]}', "board must be a text, not an object"),
        ('{"board":"0","pairs":true}', "row 0, column 0: '0'"),
        ('{"board":"\\ud800","pairs":true}', "row 0, column 0: '\\ud800'"),
        ('{"board":"1\\u0000","pairs":true}', "row 0, column 1: '\\x00'"),
        ('{"board":"12/12","add":true}', "row 0 has 2 slots"),
        ('{"board":"........./1","add":true}', "row 0 is wholly empty"),
        ('{"board":"' + "/".join(["123456789"] * 60 + ["1"]) + '","add":true}', "541 slots; at most 540"),
        ('{"board":"55","add":false}', "add must be true, not false"),
        ('{"board":"55","add":1}', "add must be true, not 1"),
        ('{"board":"55","pairs":"true"}', 'pairs must be true, not "true"'),
        ('{"board":"55","pairs":null}', "pairs must be true, not null"),
        ('{"board":"55","a":[0,0],"b":null}', "b must be [row, column], two whole numbers from 0, not null"),
        (
            '{"board":"55","a":[0,true],"b":[0,1]}',
            "a must be [row, column], two whole numbers from 0, not [0, true]",
        ),
        ('{"board":"55","a":[0,0],"b":[0,-1]}', "not [0, -1]"),
        ('{"board":"55","a":[0,0],"b":[0,1.0]}', "not [0, 1.0]"),
        ('{"board":"55","a":[0,0],"b":[0,1e400]}', "not [0, Infinity]"),
        ('{"board":"55","a":[0,0],"b":[0,"1"]}', 'not [0, "1"]'),
        ('{"board":"55","a":[0,0],"b":[0]}', "not [0]"),
        ('{"board":"55","a":[],"b":[0,1]}', "not []"),
        ('{"board":"55","a":[0,0],"b":[0,1,2]}', "not [0, 1, 2]"),
        ('{"board":"55","a":[0,0],"b":[[0],{}]}', "not [a list, an object]"),
        ('{"board":"55","a":{"0":0},"b":[0,1]}', "not an object"),
        ('{"board":"55","a":"00","b":[0,1]}', 'not "00"'),
        ('{"deal":null}', "deal must be an object, not null"),
        ('{"deal":"random"}', 'deal must be an object, not "random"'),
        ('{"deal":{}}', "must be one of random, even, classic, not null"),
        ('{"deal":{"size":35,"deal":"RANDOM"}}', 'one of random, even, classic, not "RANDOM"'),
        ('{"deal":{"size":35,"deal":["random"]}}', "one of random, even, classic, not a list"),
        ('{"deal":{"size":35,"deal":"random"}}', "needs a seed of 32 bytes"),
        (json.dumps({"deal": {"seed": SEED, "deal": "random"}}), "size must be a whole number, not null"),
        (json.dumps({"deal": {"seed": SEED, "size": True, "deal": "random"}}), "not true"),
        (json.dumps({"deal": {"seed": SEED, "size": 35.0, "deal": "random"}}), "not 35.0"),
        (json.dumps({"deal": {"seed": SEED, "size": "35", "deal": "random"}}), 'not "35"'),
        (json.dumps({"deal": {"seed": SEED, "size": 8, "deal": "random"}}), "from 9 to 180, not 8"),
        (json.dumps({"deal": {"seed": SEED, "size": 10**30, "deal": "random"}}), "from 9 to 180, not 1000"),
        (json.dumps({"deal": {"seed": SEED, "size": 35, "deal": "even"}}), "from 36 to 36, not 35"),
        (json.dumps({"deal": {"seed": SEED, "size": 27, "deal": "classic"}}), "no seed"),
        (
            json.dumps({"deal": {"seed": SEED[1:], "size": 35, "deal": "random"}}),
            "seed must be 64 hex digits",
        ),
        (json.dumps({"deal": {"seed": SEED[1:] + "g", "size": 35, "deal": "random"}}), "64 hex digits"),
        (json.dumps({"deal": {"seed": SEED[1:] + "\n", "size": 35, "deal": "random"}}), "64 hex digits"),
        (
            json.dumps({"deal": {"seed": " ".join([SEED[:32]] * 2)[:64], "size": 35, "deal": "random"}}),
            "64 hex",
        ),
        (json.dumps({"deal": {"seed": "\u0663" * 64, "size": 35, "deal": "random"}}), "64 hex digits"),
        (json.dumps({"deal": {"seed": 5, "size": 35, "deal": "random"}}), "not 5"),
    ],
)
def test_bad_lines(line: str, message: str) -> None:
    assert message in error(line)


def test_a_line_as_deep_as_can_be_read_is_answered() -> None:
    depths = range(1, 1000)
    for value in ("[" * depth + "]" * depth for depth in depths):
        for line in (f'{{"board":{value},"pairs":true}}', f'{{"board":"55","a":[0,{value}],"b":[0,1]}}'):
            assert error(line)


def test_an_answer_is_one_line_of_ascii() -> None:
    for line in ('{"board":"\ud800\u2028","pairs":true}', '"\u2028\ud800"', '{"board":"1\\n2","add":true}'):
        reply = answer(line)
        assert reply.isascii()
        assert reply.isprintable()


texts = st.text("123456789./0\ud800é", max_size=14)
numbers = st.integers(-2, 11) | st.floats() | st.booleans() | st.none()
cells = st.lists(numbers, max_size=3) | numbers | texts
deals = st.fixed_dictionaries(
    {},
    optional={
        "seed": st.sampled_from([None, SEED, "", 7]),
        "size": st.sampled_from([27, 35, 36, 9]) | numbers,
        "deal": st.sampled_from(["random", "even", "classic", "none"]) | cells,
    },
)
questions = st.fixed_dictionaries(
    {},
    optional={
        "board": texts | numbers,
        "a": cells,
        "b": cells,
        "add": numbers,
        "pairs": numbers,
        "deal": deals,
    },
)


@settings(max_examples=200, deadline=None)
@given(questions | deals | cells)
def test_any_value_is_answered(question: object) -> None:
    reply = json.loads(answer(json.dumps(question)))
    assert reply.keys() & {"verdict", "after", "pairs", "board", "error"}


@settings(max_examples=200, deadline=None)
@given(st.text('{}[]":,.019eE-+truefalsn \\u"board"', max_size=40))
def test_any_text_is_answered(line: str) -> None:
    assert json.loads(answer(line))
