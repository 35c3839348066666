from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import urllib.request
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jwt
import psutil
import psycopg
import pytest

from infra.local import folders, waiting
from infra.local.__main__ import profiles
from infra.local.stack import SECRETS, Stack

if TYPE_CHECKING:
    from collections.abc import Iterator

FIXTURE = Path(__file__).parent / "fixtures" / "template.yaml"
PATIENCE = 60.0
COMMAND = [sys.executable, "-m", "infra.local"]


@pytest.fixture
def runtime(tmp_path: Path) -> dict[str, str]:
    """An environment whose folders are the test's own."""
    return {**os.environ, "XDG_RUNTIME_DIR": str(tmp_path)}


@pytest.fixture
def running(runtime: dict[str, str]) -> Iterator[subprocess.Popen[str]]:
    """`run` on the fixture's template, up to its last printed line."""
    process = subprocess.Popen(  # noqa: S603 - our own command
        [*COMMAND, "run", "--bare", "--template", str(FIXTURE)],
        cwd=folders.ROOT,
        env=runtime,
        stdout=subprocess.PIPE,
        text=True,
    )
    yield process
    process.kill()
    process.wait()
    if process.stdout:
        process.stdout.close()


def printed(process: subprocess.Popen[str]) -> list[str]:
    assert process.stdout
    lines = []
    for line in process.stdout:
        lines.append(line.strip())
        if line.startswith("Ctrl-C"):
            return lines
    raise AssertionError(lines)


def run(
    arguments: list[str], runtime: dict[str, str]
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603 - our own command
        [*COMMAND, *arguments],
        cwd=folders.ROOT,
        env=runtime,
        capture_output=True,
        text=True,
        check=False,
    )


def family(process: subprocess.Popen[str]) -> list[psutil.Process]:
    return psutil.Process(process.pid).children(recursive=True)


def own_folders(lines: list[str]) -> list[Path]:
    """Return the folders that the printed addresses name."""
    words = " ".join(lines).split()
    return [
        Path(word.removeprefix("host="))
        for word in words
        if word.removeprefix("host=").startswith("/")
    ]


def verified(stack: Stack, token: str) -> dict[str, Any]:
    """Verify a token as a client would, by discovery."""
    with urllib.request.urlopen(  # noqa: S310 - our own loopback address
        f"{stack.issuer.url}/.well-known/openid-configuration"
    ) as answer:
        found = json.load(answer)
    assert found["issuer"] == stack.issuer.url
    key = jwt.PyJWKClient(found["jwks_uri"]).get_signing_key_from_jwt(token)
    return dict(
        jwt.decode(
            token,
            key,
            algorithms=["ES256"],
            audience=stack.issuer.audience,
            issuer=found["issuer"],
        )
    )


def test_a_token_is_verified_by_the_issuer_s_published_key(stack: Stack) -> None:
    token = stack.token(
        tenant="atelier",
        account="acme",
        user="marie",
        client="claude",
        scope="shop:read library:read",
        profile={"shop": "closed"},
        actor="agent",
    )

    claims = verified(stack, token)

    assert {"iat", "nbf", "exp"} < claims.keys()
    assert {k: v for k, v in claims.items() if k not in {"iat", "nbf", "exp"}} == {
        "iss": stack.issuer.url,
        "aud": stack.issuer.audience,
        "sub": "marie",
        "tenant": "atelier",
        "account": "acme",
        "act": {"sub": "agent"},
        "client_id": "claude",
        "scope": "shop:read library:read",
        "profile": {"shop": "closed"},
    }


def test_an_expired_or_altered_token_is_refused(stack: Stack) -> None:
    with pytest.raises(jwt.ExpiredSignatureError):
        verified(stack, stack.token(seconds=-60))
    with pytest.raises(jwt.InvalidAudienceError):
        verified(stack, stack.token(aud="http://elsewhere"))


def test_absent_claims_are_absent(stack: Stack) -> None:
    claims = verified(stack, stack.token(tenant=None))

    assert not {"tenant", "account", "act", "profile"} & claims.keys()


def test_the_secrets_hold_what_functions_need(stack: Stack) -> None:
    with closing(stack.aws.client("secretsmanager")) as manager:
        held = {
            name: manager.get_secret_value(SecretId=stack.environ[variable])
            for name, variable in SECRETS.items()
        }
    texts = {name: found["SecretString"] for name, found in held.items()}

    assert "user=vitrine_service" in texts["DsnSecret"]
    typesense = json.loads(texts["TypesenseSecret"])
    assert stack.typesense_url == typesense["url"]
    # Functions search with a key of their own, never with the administrator's.
    assert stack.typesense_key not in {typesense["key"], typesense["debug_key"]}
    assert json.loads(texts["SealSecret"]).keys() == {"keys", "ref_key"}
    assert json.loads(texts["ModelSecret"]) == {}


def test_two_stacks_run_at_once(stack: Stack) -> None:
    with Stack(FIXTURE) as other:
        with psycopg.connect(other.dsn) as connection:
            connection.execute("CREATE TABLE only_here ()")
        with closing(other.aws.client("secretsmanager")) as manager:
            manager.create_secret(Name="only-here", SecretString="s")

        assert other.call("POST", "/echo").status == 201
        addresses = {"url", "dsn", "typesense_url", "aws_url", "folder"}
        for name in addresses:
            assert getattr(stack, name) != getattr(other, name)
        with pytest.raises(jwt.PyJWKClientError):
            verified(other, stack.token())
    with psycopg.connect(stack.dsn) as connection:
        row = connection.execute("SELECT to_regclass('only_here')").fetchone()
    assert row == (None,)


def test_a_stack_starts_again_after_its_stop() -> None:
    stack = Stack(FIXTURE, parts=("aws", "gateway"))

    for _ in range(2):
        with stack:
            assert stack.invoke("Tick")["ticks"] == 1


def test_a_part_that_was_not_started_is_named() -> None:
    with (
        Stack(parts=()) as idle,
        pytest.raises(RuntimeError, match="without postgres"),
    ):
        idle.dsn  # noqa: B018 - the property raises


def test_run_prints_what_to_paste_and_takes_commands(
    running: subprocess.Popen[str], runtime: dict[str, str]
) -> None:
    lines = printed(running)

    curls = [line for line in lines if line.startswith("curl")]
    asked = ["--tenant", "T", "--account", "A", "--user", "U", "--client", "C"]
    token = run(["token", *asked, "--scope", "a b", "--profile", "closed"], runtime)
    visitor = run(["token"], runtime)
    asking = ["--tenant", "T", "--client", "C", "--scope", "notes:write"]
    link = run(["consent", *asking], runtime)
    tick = run(["invoke", "Tick"], runtime)
    wrong = run(["invoke", "Nobody"], runtime)

    assert len(curls) == 3
    claims = jwt.decode(token.stdout.strip(), options={"verify_signature": False})
    expected = {"tenant": "T", "account": "A", "sub": "U", "client_id": "C"}
    expected |= {"scope": "a b", "profile": "closed"}
    assert expected.items() <= claims.items()
    seen = jwt.decode(visitor.stdout.strip(), options={"verify_signature": False})
    assert (seen["sub"], seen["profile"]) == ("visitor", "closed")
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/consent\?ticket=\S+\n", link.stdout)
    assert json.loads(tick.stdout) == {"source": "aws.scheduler", "ticks": 1}
    assert (wrong.returncode, "no function Nobody" in wrong.stderr) == (1, True)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_nothing_is_left_after_a_signal(
    running: subprocess.Popen[str],
    runtime: dict[str, str],
    number: signal.Signals,
    tmp_path: Path,
) -> None:
    lines = printed(running)
    assert run(["invoke", "Tick"], runtime).returncode == 0
    processes, made = family(running), own_folders(lines)
    assert len(processes) >= 8
    assert all(folder.exists() for folder in made)
    assert made

    running.send_signal(number)
    code = running.wait(PATIENCE)

    assert code == (-number if number == signal.SIGKILL else 0)
    _, alive = psutil.wait_procs(processes, timeout=PATIENCE)
    assert alive == []
    waiting.until(
        lambda: not any(folder.exists() for folder in made), PATIENCE, what="the sweep"
    )
    if number != signal.SIGKILL:
        assert list(tmp_path.iterdir()) == []


def test_a_signal_during_the_start_leaves_nothing(
    running: subprocess.Popen[str],
) -> None:
    processes = waiting.until(lambda: family(running), PATIENCE, what="a first child")

    running.terminate()

    assert running.wait(PATIENCE) in {0, -signal.SIGTERM}
    _, alive = psutil.wait_procs(processes, timeout=PATIENCE)
    assert alive == []


def test_commands_say_when_no_stack_runs(runtime: dict[str, str]) -> None:
    answer = run(["token"], runtime)

    assert (answer.returncode, answer.stdout) == (1, "")
    assert answer.stderr == "no stack is running; start one with `make run`\n"


def test_an_open_runtime_folder_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    (tmp_path / f"vitrine-{os.geteuid()}").mkdir()
    (tmp_path / f"vitrine-{os.geteuid()}").chmod(0o755)  # whatever the umask is

    with pytest.raises(PermissionError, match="open to others"):
        folders.private()


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (["closed"], "closed"),
        (["shop=closed", "library=trusted"], {"shop": "closed", "library": "trusted"}),
    ],
)
def test_a_profile_is_one_or_one_a_source(given: list[str], expected: object) -> None:
    assert profiles(given) == expected
