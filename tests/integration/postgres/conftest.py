"""A source of every type, and the seeded demo, on the session's PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from infra.local import postgres as engine
from infra.local.demo.crm import seed_crm
from infra.local.demo.media import seed_library
from tests.fix_stack import Database
from tests.integration.postgres import things
from vitrine.postgres.line import connector
from vitrine.postgres.search import Postgres

SMALL = {"aurore": 1_500, "boreal": 400}


@pytest.fixture(scope="module")
def source(database: Database) -> Iterator[Postgres]:
    """The engine over an empty source that holds fields of every type."""
    things.create(database.dsn)
    searched = Postgres(connector(database.service_dsn))
    yield searched
    searched.close()


@pytest.fixture(scope="session")
def demo(postgres: engine.Cluster) -> Database:
    """A small copy of the demo's library, and its whole CRM."""
    postgres.create("demo_small")
    dsn = postgres.dsn("demo_small")
    seed_library(dsn, SMALL)
    seed_crm(dsn)
    return Database("demo_small", dsn, postgres.dsn("demo_small", engine.SERVICE))


@pytest.fixture(scope="module")
def searched(demo: Database) -> Iterator[Postgres]:
    """The engine over the small demo, as the service role."""
    engine = Postgres(connector(demo.service_dsn))
    yield engine
    engine.close()
