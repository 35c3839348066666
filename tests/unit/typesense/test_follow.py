"""A look at what changed, page by page, while it goes on changing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from infra.local.demo import shop
from vitrine.typesense.follow import PAGE, changed

Record = dict[str, Any]


class Private:
    """A private collection that changes after each page of it that is read."""

    def __init__(
        self, records: list[Record], change: Callable[[list[Record]], None]
    ) -> None:
        self.records, self.change = records, change

    @property
    def collections(self) -> dict[str, Any]:
        return {str(MANIFEST.origin.collection): self}

    @property
    def documents(self) -> Private:
        return self

    def search(self, asked: Any) -> Record:
        since = int(asked["filter_by"].partition(":>=")[2])
        found = [r for r in self.records if r[MOMENT] >= since]
        found.sort(key=lambda r: r[MOMENT])
        first = (asked["page"] - 1) * asked["per_page"]
        page = [{"document": dict(r)} for r in found[first : first + PAGE]]
        self.change(self.records)
        return {"found": len(found), "hits": page}


MANIFEST = shop.manifest()
MOMENT = str(MANIFEST.origin.moment)


def read(private: Any, since: int = 0) -> tuple[set[int], list[int]]:
    looks = list(changed(private, MANIFEST, since))
    return {r["n"] for look in looks for r in look.records}, [k.left for k in looks]


def touch_first(records: list[Record]) -> None:
    """Change the record that was changed the longest time ago."""
    oldest = min(records, key=lambda r: r[MOMENT])
    oldest[MOMENT] = max(r[MOMENT] for r in records) + 1


@pytest.mark.parametrize("number", [1, PAGE, PAGE + 1, 3 * PAGE])
def test_a_record_that_changes_during_a_look_hides_no_other(number: int) -> None:
    records = [{"n": n, MOMENT: 1_000 + n} for n in range(number)]
    changes = iter(range(3))

    def change(stored: list[Record]) -> None:
        if next(changes, None) is not None:
            touch_first(stored)

    seen, left = read(Private(records, change))

    assert set(range(number)) == seen
    assert 0 == left[-1]


def test_many_records_of_one_second_are_all_read() -> None:
    records = [{"n": n, MOMENT: 1_000} for n in range(2 * PAGE + 7)]

    seen, _ = read(Private(records, lambda _: None), since=1_000)

    assert set(range(2 * PAGE + 7)) == seen
