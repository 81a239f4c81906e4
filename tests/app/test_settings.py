"""Settings: where they come from, what cannot be, and that nothing secret is ever said."""

import os
from pathlib import Path

import pytest
from pydantic import SecretStr

from tenmatch.app.settings import ENV_FILE, PREFIX, BadSettings, Settings, read_settings

SECRET = "correct-horse-battery-staple-0123456789"
URL = "redis://user:hunter2@store.example:6379"


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Start without any setting, in a folder without a file."""
    for name in [name for name in os.environ if name.upper().startswith(PREFIX)]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)


def write(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    """Name a file with these lines as the settings' file."""
    Path("settings.env").write_text("".join(f"{line}\n" for line in lines))
    monkeypatch.setenv(ENV_FILE, "settings.env")


def complaint(**flags: object) -> str:
    with pytest.raises(BadSettings) as raised:
        read_settings(**flags)
    return str(raised.value)


def test_everything_has_a_default() -> None:
    settings = read_settings()
    assert (settings.host, settings.port, settings.workers) == ("127.0.0.1", 8765, 1)
    assert settings.redis is None
    assert settings.secret_bytes is None


def test_a_flag_goes_before_a_variable_before_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    write(monkeypatch, "TENMATCH_PORT=1", "TENMATCH_HOST=file", "TENMATCH_WORKERS=3")
    monkeypatch.setenv("TENMATCH_PORT", "2")
    monkeypatch.setenv("TENMATCH_HOST", "variable")
    settings = read_settings(port=3, host=None, workers=None)
    assert (settings.port, settings.host, settings.workers) == (3, "variable", 3)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("port", "65536"),
        ("port", "-1"),
        ("port", "http"),
        ("workers", "0"),
        ("workers", "65"),
        ("loop", "trio"),
        ("log_level", "loud"),
        ("log_format", "xml"),
        ("messages_burst", "0"),
        ("matches_per_s", "-1"),
        ("matches_per_s", "nan"),
        ("watcher_bytes", "1"),
        ("drain_s", "60"),
        ("unfit_redis", "perhaps"),
    ],
)
def test_what_cannot_be_is_named_with_its_value(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(PREFIX + name.upper(), value)
    assert complaint().startswith(f"{PREFIX}{name.upper()}: ")
    assert repr(value) in complaint()


def test_all_that_is_wrong_is_named_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TENMATCH_PORT", "x")
    monkeypatch.setenv("TENMATCH_WORKERS", "x")
    assert {line.split(":")[0] for line in complaint().splitlines()} == {"TENMATCH_PORT", "TENMATCH_WORKERS"}


def test_a_misspelt_variable_stops_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TENMATCH_PROT", SECRET)
    assert complaint() == "unknown setting TENMATCH_PROT. Did you mean TENMATCH_PORT?"
    assert "TENMATCH_PORT" in complaint()
    assert SECRET not in complaint()


def test_a_misspelt_name_in_the_file_stops_the_start_and_its_value_is_not_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    write(monkeypatch, f"TENMATCH_SECRTE={SECRET}")
    assert complaint() == "TENMATCH_SECRTE: there is no such setting"


def test_a_file_that_is_not_there_stops_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(ENV_FILE, "nowhere.env")
    assert complaint() == "TENMATCH_ENV_FILE: there is no file 'nowhere.env'"


@pytest.mark.parametrize("value", ["short-but-secret", ""])
def test_a_secret_that_is_too_short_is_not_told(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("TENMATCH_SECRET", value)
    assert complaint().startswith("TENMATCH_SECRET: ")
    assert "short-but-secret" not in complaint()


def test_nothing_secret_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TENMATCH_SECRET", SECRET)
    settings = read_settings(redis=URL)
    assert settings.secret_bytes == SECRET.encode()
    for shown in (repr(settings), str(settings), str(settings.model_dump())):
        assert SECRET not in shown
        assert "hunter2" not in shown
    with pytest.raises(BadSettings) as raised:
        read_settings(redis=URL, port="x")
    while raised.value.__cause__ is not None:
        raised.value.__cause__ = None
    assert "hunter2" not in str(raised.value)


def test_a_complaint_has_no_cause_that_would_tell_what_is_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TENMATCH_SECRET", "short-but-secret")
    with pytest.raises(BadSettings) as raised:
        read_settings()
    assert raised.value.__cause__ is None
    assert raised.value.__suppress_context__


def test_settings_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="frozen"):
        read_settings().port = 1


@pytest.mark.parametrize(
    ("text", "origins"),
    [
        ("", ()),
        ("https://play.example", ("https://play.example",)),
        (" https://a.example , http://b.example:81,", ("https://a.example", "http://b.example:81")),
        ("capacitor://localhost", ("capacitor://localhost",)),
    ],
)
def test_origins_are_separated_by_commas(
    monkeypatch: pytest.MonkeyPatch, text: str, origins: tuple[str, ...]
) -> None:
    monkeypatch.setenv("TENMATCH_ORIGINS", text)
    assert read_settings().origins == origins
    assert read_settings(origins=text).origins == origins


@pytest.mark.parametrize(
    "text", ["*", "null", "play.example", "https://play.example/", "https://Play.example"]
)
def test_what_no_browser_would_send_is_no_origin(text: str) -> None:
    assert "is no origin" in complaint(origins=text)


@pytest.mark.parametrize("text", ["proxy.example", "10.0.0.1/8", "1.2.3"])
def test_what_is_no_network_is_no_proxy(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("TENMATCH_TRUSTED_PROXIES", text)
    assert complaint().startswith("TENMATCH_TRUSTED_PROXIES: ")


def test_another_process_can_be_given_the_same_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = read_settings(
        port=0,
        redis=SecretStr(URL),
        secret=SecretStr(SECRET),
        origins=("https://a.example", "https://b.example"),
        data=Path("some where"),
        unfit_redis=True,
        drain_s=1.5,
        messages_per_s=0,
    )
    for name, value in settings.environment().items():
        monkeypatch.setenv(name, value)
    assert read_settings() == settings


def test_every_setting_is_described_and_can_be_a_variable() -> None:
    for name, field in Settings.model_fields.items():
        assert field.description, name
        assert name == name.lower()
