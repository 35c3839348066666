"""A copy of a database is as closed as its template, without anybody's help."""

from __future__ import annotations

import psycopg
import pytest

from infra.local import postgres as engine
from tests.fix_stack import Database

MAY = """SELECT has_database_privilege('vitrine_service', current_database(), %s)"""
ORDERS = [
    "CREATE TEMP TABLE x (a int)",
    "CREATE FUNCTION pg_temp.x() RETURNS int LANGUAGE sql AS 'SELECT 1'",
    "CREATE SCHEMA x",
    "CREATE TABLE public.x (a int)",
]


@pytest.mark.parametrize(
    ("privilege", "held"), [("CONNECT", True), ("TEMP", False), ("CREATE", False)]
)
def test_a_copy_of_the_template_is_hardened(
    database: Database, privilege: str, held: bool
) -> None:
    with psycopg.connect(database.dsn) as connection:
        assert (held,) == connection.execute(MAY, [privilege]).fetchone()


@pytest.mark.parametrize("order", ORDERS)
def test_the_service_can_create_nothing_in_a_copy(
    database: Database, order: str
) -> None:
    with (
        psycopg.connect(database.service_dsn) as connection,
        pytest.raises(psycopg.errors.InsufficientPrivilege),
    ):
        connection.execute(order.encode())


def test_hardening_takes_back_what_was_granted_by_hand(
    postgres: engine.Cluster, database: Database
) -> None:
    """A copy that was made past the desk is open until then."""
    name = f"{database.name}_bare"
    with psycopg.connect(postgres.dsn("postgres"), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE vitrine_template".encode())
        connection.execute(f"GRANT TEMP ON DATABASE {name} TO vitrine_service".encode())

    with psycopg.connect(postgres.dsn(name)) as connection:
        assert (True,) == connection.execute(MAY, ["TEMP"]).fetchone()
        connection.execute("SELECT directory.harden()")
        assert (False,) == connection.execute(MAY, ["TEMP"]).fetchone()
    postgres.drop(name)
