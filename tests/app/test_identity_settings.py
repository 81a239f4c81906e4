"""Whose tokens are taken: settings that fit together; those that do not stop the start and tell no secret."""

import pytest

from tenmatch.app.settings import BadSettings, read_settings

SECRET = "a secret that nobody must ever see"
WHOLE = {"jwt_issuer": "https://login.example", "jwt_audience": "game", "jwt_secret": SECRET}
URL = "https://login.example/jwks.json"


def test_an_issuer_has_a_name_an_audience_and_a_secret_or_keys() -> None:
    assert read_settings(**WHOLE).jwt_issuer == "https://login.example"
    keys = {**WHOLE, "jwt_secret": None, "jwt_jwks_url": URL}
    assert read_settings(**keys, guests=False).jwt_jwks_url == URL
    assert read_settings().guests


@pytest.mark.parametrize(
    "wrong",
    [
        {"jwt_issuer": None},
        {"jwt_audience": None},
        {"jwt_secret": None},
        {"jwt_secret": None, "jwt_issuer": None, "jwt_audience": None, "guests": False},
        {"jwt_issuer": None, "jwt_audience": None},
        {"jwt_jwks_url": URL},
        {"jwt_issuer": "tenmatch"},
        {"jwt_issuer": ""},
        {"jwt_secret": SECRET[:31]},
        {"guests": False, **dict.fromkeys(WHOLE)},
    ],
)
def test_half_of_one_stops_the_start(wrong: dict[str, object]) -> None:
    with pytest.raises(BadSettings) as raised:
        read_settings(**{**WHOLE, "secret": f"{SECRET} too", **wrong})
    assert SECRET[:31] not in str(raised.value)
    assert str(raised.value)[0] != "{"


@pytest.mark.parametrize(
    ("url", "safe"),
    [
        (URL, True),
        ("http://localhost:8080/jwks", True),
        ("http://127.0.0.1/jwks", True),
        ("http://[::1]:8/jwks", True),
        ("http://login.example/jwks.json", False),
        ("http://localhost.evil.example/", False),
        ("http://localhost@evil.example/", False),
        ("file:///etc/passwd", False),
        ("ftp://login.example/keys", False),
        ("https://", False),
        ("login.example", False),
        ("", False),
    ],
)
def test_keys_come_from_a_place_that_proves_who_it_is(url: str, safe: bool) -> None:
    asked = {**WHOLE, "jwt_secret": None, "jwt_jwks_url": url}
    if safe:
        assert read_settings(**asked).jwt_jwks_url == url
    else:
        with pytest.raises(BadSettings, match=r"(?i)jwt"):
            read_settings(**{name: value for name, value in asked.items() if value is not None})
