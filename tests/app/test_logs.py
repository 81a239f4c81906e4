"""Logs: one line an event, for people or for machines."""

import json
import logging
import sys
from collections.abc import Iterator

import pytest

from tenmatch.app.logs import JsonLines, Readable, set_up_logs


@pytest.fixture(autouse=True)
def _same_logs_afterwards() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)


def record(message: str, *args: object, level: int = logging.INFO, **fields: object) -> logging.LogRecord:
    made = logging.LogRecord("tenmatch.gateway.table", level, __file__, 1, message, args, None)
    made.created, made.msecs = 1_700_000_000.25, 250.0
    for name, value in fields.items():
        setattr(made, name, value)
    return made


def failing() -> logging.LogRecord:
    try:
        raise RuntimeError("a bug")
    except RuntimeError:
        made = record("it failed", level=logging.ERROR)
        made.exc_info = sys.exc_info()
        return made


def test_a_line_of_json_has_the_event_and_its_fields() -> None:
    line = JsonLines().format(record("room %s", "loaded", room="abc", seq=7, node=None))
    assert "\n" not in line
    assert json.loads(line) == {
        "time": "2023-11-14T22:13:20.250Z",
        "level": "info",
        "logger": "tenmatch.gateway.table",
        "event": "room loaded",
        "room": "abc",
        "seq": 7,
        "node": None,
    }


def test_whatever_a_field_is_the_line_is_one_of_json() -> None:
    line = JsonLines().format(record("x", path=RuntimeError("odd"), text='a "b"\nc', raw=b"\xff"))
    assert "\n" not in line
    assert json.loads(line)["text"] == 'a "b"\nc'


def test_a_traceback_is_a_field() -> None:
    line = JsonLines().format(failing())
    assert "\n" not in line
    assert "RuntimeError: a bug" in json.loads(line)["traceback"]


def test_a_line_for_people_has_what_matters() -> None:
    assert (
        Readable().format(record("room loaded", room="abc", seq=7)) == "22:13:20 room loaded  room=abc seq=7"
    )
    assert Readable().format(record("no store", level=logging.WARNING)) == "22:13:20 warning: no store"
    assert Readable().format(failing()).splitlines()[-1] == "RuntimeError: a bug"


@pytest.mark.parametrize(("form", "is_json"), [("json", True), ("text", False), ("auto", True)])
def test_logs_go_to_standard_error(capsys: pytest.CaptureFixture[str], form: str, is_json: bool) -> None:
    set_up_logs(form, "info")
    logging.getLogger("tenmatch.test").info("here", extra={"n": 1})
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("{") is is_json


def test_less_than_the_level_is_not_logged(capsys: pytest.CaptureFixture[str]) -> None:
    set_up_logs("text", "warning")
    log = logging.getLogger("tenmatch.test")
    log.info("less")
    log.warning("enough")
    err = capsys.readouterr().err
    assert "enough" in err
    assert "less" not in err


def test_the_libraries_do_not_log_each_connection(capsys: pytest.CaptureFixture[str]) -> None:
    set_up_logs("text", "info")
    logging.getLogger("websockets.server").info("connection open")
    assert capsys.readouterr().err == ""
