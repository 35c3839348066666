from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from tests.integration.store.test_circuit import Counting
from vitrine.store.topics import Topics

if TYPE_CHECKING:
    from vitrine.store.table import Table

NOW = datetime(2026, 8, 2, 12, tzinfo=UTC)


def test_a_verdict_holds_for_an_hour_without_any_sweep(table: Table) -> None:
    topics = Topics(table, "t", NOW)
    assert topics.known("k") is None

    topics.keep("k", on_topic=False)

    almost, over = NOW + timedelta(minutes=59, seconds=59), NOW + timedelta(hours=1)
    assert Topics(table, "t", almost).known("k") is False
    assert Topics(table, "t", over).known("k") is None


def test_a_verdict_is_its_tenants_own(table: Table) -> None:
    Topics(table, "t", NOW).keep("k", on_topic=False)

    assert Topics(table, "other", NOW).known("k") is None


def test_without_the_store_nothing_is_known_and_nothing_breaks(table: Table) -> None:
    client: Any = Counting(table.client)
    client.down = True
    topics = Topics(replace(table, client=client), "t", NOW)

    topics.keep("k", on_topic=False)

    assert topics.known("k") is None


def test_no_word_is_kept(table: Table) -> None:
    Topics(table, "t", NOW).keep("k", on_topic=True)

    kept = table.client.scan(TableName=table.name)["Items"]
    assert {"pk", "sk", "on_topic", "expires_at"} == set(kept[0])
    assert "words" not in json.dumps(kept)
