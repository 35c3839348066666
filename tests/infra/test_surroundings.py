from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import psycopg
import pytest

from infra.local import folders, surroundings
from infra.local import postgres as engine
from infra.local.aws import Aws

DEAD = "http://127.0.0.1:1"
HOSTILE = {
    "PGPORT": "6543",
    "PGSERVICE": "elsewhere",
    "PGHOSTADDR": "192.0.2.1",
    "PGCLIENTENCODING": "LATIN1",
    "AWS_PROFILE": "nobody-has-it",
    "AWS_ENDPOINT_URL": DEAD,
    "AWS_SESSION_TOKEN": "t",
    **dict.fromkeys(("HTTP_PROXY", "http_proxy", "HTTPS_PROXY"), DEAD),
    "ALL_PROXY": "socks5://127.0.0.1:1",
}


def test_other_servers_are_forgotten_and_the_loopback_goes_past_proxies() -> None:
    environ = HOSTILE | {"PATH": "/bin", "no_proxy": "intra.example,::1"}

    surroundings.shield(environ)

    kept = environ.keys() - surroundings.NOBODY.keys()
    proxies = {"HTTP_PROXY", "http_proxy", "HTTPS_PROXY"}
    assert proxies | {"PATH", "NO_PROXY", "no_proxy"} == kept
    expected = "intra.example,::1,127.0.0.1,localhost"
    assert (expected, expected) == (environ["NO_PROXY"], environ["no_proxy"])


def test_a_stack_works_in_a_hostile_environment(
    aws: Aws, postgres: engine.Cluster
) -> None:
    """Use the running servers from a process that was told of all others."""
    program = f"""
from infra.local import surroundings
surroundings.shield()
import boto3, httpx, psycopg, urllib.request
httpx.Client().close()
client = boto3.client("dynamodb", endpoint_url={aws.url!r}, region_name="eu-west-1",
    aws_access_key_id="a", aws_secret_access_key="b")
print("vitrine" in client.list_tables()["TableNames"])
with psycopg.connect({postgres.dsn()!r}) as connection:
    print(connection.execute("SELECT 'é'").fetchone() == ("é",))
with urllib.request.urlopen({aws.url!r} + "/moto-api/") as answer:
    print(answer.status == 200)
"""

    done = subprocess.run(  # noqa: S603 - our own interpreter and code
        [sys.executable, "-c", program],
        cwd=folders.ROOT,
        env=os.environ | HOSTILE,
        capture_output=True,
        text=True,
        check=False,
    )

    assert ("True\n" * 3, 0) == (done.stdout, done.returncode), done.stderr


@pytest.mark.parametrize("name", ["t" * 80, "with space", "été", "a,b", "it's", "gone"])
def test_a_folder_s_path_suits_sockets_wherever_temporary_files_go(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = tmp_path / name
    if name != "gone":
        base.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(base))

    made = folders.fresh("pg")

    made.rmdir()
    assert base not in made.parents
    assert len(str(made)) < 90


def test_a_small_shared_memory_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert engine.roomy(tmp_path / "none") == []
    monkeypatch.setattr(engine, "LEAST_ROOM", 1)
    assert engine.roomy(tmp_path) == []
    monkeypatch.setattr(engine, "LEAST_ROOM", 1 << 60)

    cluster = engine.Cluster(tmp_path)

    try:
        with psycopg.connect(cluster.dsn()) as connection:
            shown = connection.execute("SHOW dynamic_shared_memory_type").fetchone()
        assert shown == ("mmap",)
    finally:
        cluster.stop()


def test_a_connection_string_is_one(postgres: engine.Cluster) -> None:
    told = psycopg.conninfo.conninfo_to_dict(postgres.dsn())

    assert str(postgres.folder) == told["host"]
