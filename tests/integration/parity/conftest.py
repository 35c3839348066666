"""Both engines with an empty source, for one module."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from infra.bench.worlds import Servers
from infra.local import typesense as local
from tests.fix_stack import Database
from tests.integration.postgres import things
from vitrine.postgres.line import connector
from vitrine.postgres.search import Postgres
from vitrine.typesense.client import connect
from vitrine.typesense.search import Typesense


@pytest.fixture(scope="module")
def servers(database: Database, typesense: local.Node) -> Iterator[Servers]:
    things.create(database.dsn)
    searched = Postgres(connector(database.service_dsn))
    client = connect(typesense.url, typesense.key, timeout=60)
    yield Servers(database.dsn, searched, client, Typesense(client))
    searched.close()
    client.api_call.close()
