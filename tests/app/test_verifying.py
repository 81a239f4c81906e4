"""`tenmatch verify`: what it says of records, in words and in JSON, and how it ends."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.protocol.forgery import genuine
from typer.testing import CliRunner

from tenmatch.app.cli import app

run = CliRunner().invoke


@pytest.fixture
def right(tmp_path: Path) -> Path:
    file = tmp_path / "right.json"
    file.write_text(json.dumps(genuine("frozen race")))
    return file


@pytest.fixture
def wrong(tmp_path: Path) -> Path:
    record = genuine("frozen race")
    record["events"][9]["points"] += 4
    file = tmp_path / "wrong.json"
    file.write_text(json.dumps(record))
    return file


def lines(output: str) -> list[Any]:
    return [json.loads(line) for line in output.splitlines()]


def test_a_record_that_proves_its_game(right: Path) -> None:
    found = run(app, ["verify", str(right)])
    assert found.exit_code == 0
    assert found.output == (f"{right}: proven: race, 20 events, ended last_one_in; 1. Ada 20, 2. Lynx 27 6\n")


def test_a_record_that_does_not(wrong: Path) -> None:
    found = run(app, ["verify", str(wrong)])
    assert found.exit_code == 1
    assert found.output == f"{wrong}: event 10: points is 5, should be 1\n"


def test_one_wrong_record_among_several(right: Path, wrong: Path) -> None:
    found = run(app, ["verify", str(right), str(wrong), str(right)])
    assert found.exit_code == 1
    assert [": proven: " in line for line in found.output.splitlines()] == [True, False, True]


def test_the_same_for_machines(right: Path, wrong: Path) -> None:
    found = run(app, ["verify", "--json", str(right), str(wrong)])
    assert found.exit_code == 1
    proven, failed = lines(found.output)
    assert (proven.pop("text")[:7], proven) == ("proven:", {"file": str(right), "ok": True})
    assert failed == {
        "file": str(wrong),
        "ok": False,
        "text": "event 10: points is 5, should be 1",
        "event": 10,
        "what": "points",
        "said": 5,
        "due": 1,
    }


def test_a_record_may_come_in_on_the_standard_input(right: Path, wrong: Path) -> None:
    assert run(app, ["verify", "-"], input=right.read_bytes()).output.startswith("-: proven: ")
    found = run(app, ["verify", "--json", "-"], input=wrong.read_bytes())
    assert (found.exit_code, lines(found.output)[0]["event"]) == (1, 10)


@pytest.mark.parametrize("text", ["", "{}", "[]", "no", "\x00", "[" * 50_000])
def test_what_is_no_record_proves_nothing(tmp_path: Path, text: str) -> None:
    file = tmp_path / "none.json"
    file.write_text(text)
    found = run(app, ["verify", "--json", str(file)])
    assert found.exit_code == 1
    [report] = lines(found.output)
    assert report.keys() == {"file", "ok", "text"}
    assert not report["ok"]


def test_what_a_server_says_in_place_of_a_record_is_told() -> None:
    found = run(app, ["verify", "-"], input="no game that is over is known by this id\n")
    assert found.output.strip().endswith("; it says: no game that is over is known by this id")
    assert run(app, ["verify", "-"], input="").output.strip().endswith("; it is empty")


def test_a_file_that_is_not_there_proves_nothing(tmp_path: Path) -> None:
    found = run(app, ["verify", str(tmp_path / "nowhere"), str(tmp_path)])
    assert found.exit_code == 1
    assert "it cannot be read: No such file or directory" in found.output
    assert "it cannot be read: Is a directory" in found.output


def test_a_record_has_to_be_named() -> None:
    assert run(app, ["verify"]).exit_code == 2
