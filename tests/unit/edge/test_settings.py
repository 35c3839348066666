from __future__ import annotations

import pytest

from vitrine.edge import settings


def test_a_part_reads_its_own_variables() -> None:
    environ = {"VITRINE_DAILY_CAP": "5000000", "VITRINE_TABLE": "t"}

    assert settings.read(settings.Money, environ).daily_cap == 5_000_000


@pytest.mark.parametrize(
    "environ", [{}, {"VITRINE_ISSUER": "", "VITRINE_AUDIENCE": ""}]
)
def test_every_missing_variable_is_named_at_once(environ: dict[str, str]) -> None:
    with pytest.raises(settings.UnsetError, match=r"VITRINE_ISSUER.*VITRINE_AUDIENCE"):
        settings.read(settings.Trust, environ)


def test_an_optional_variable_may_be_empty() -> None:
    environ = {
        "VITRINE_ISSUER": "https://id.example",
        "VITRINE_AUDIENCE": "https://api.example/mcp",
        "VITRINE_JWKS_URL": "",
    }

    assert settings.read(settings.Trust, environ).jwks_url is None


@pytest.mark.parametrize(
    ("url", "secure"),
    [
        ("https://id.example", True),
        ("http://127.0.0.1:8123", True),
        ("http://localhost:8123", True),
        ("http://[::1]:8123", True),
        ("http://id.example", False),
        ("http://127.0.0.1.id.example", False),
        ("ftp://127.0.0.1", False),
        ("id.example", False),
    ],
)
def test_plain_http_is_for_the_loopback_alone(url: str, *, secure: bool) -> None:
    try:
        accepted = settings.secure(url) == url
    except ValueError:
        accepted = False

    assert secure is accepted


@pytest.mark.parametrize("text", ["a.example,b.example", "a.example b.example"])
def test_hosts_are_listed_with_commas_or_spaces(text: str) -> None:
    front = settings.read(settings.Front, {"VITRINE_ALLOWED_HOSTS": text})

    assert front.allowed_hosts == ("a.example", "b.example")
