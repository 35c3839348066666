"""The answer of a call that was made before: the same one, charged once.

A caller names its call by an id of its own. The first call takes the id and leaves
its answer; a retry within a minute gets that answer. While the first still runs a
retry is told to wait, and the same id on another call is refused.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from vitrine.caller import Caller
from vitrine.problems import Conflict, Fault, Invalid
from vitrine.store.table import Key, Table, Write, alive, epoch, place

KEPT = timedelta(seconds=60)
Answer = tuple[dict[str, Any], str]


@dataclass(frozen=True, slots=True)
class Once:
    """A call's own id, and what the call is: another call may not take it."""

    caller: Caller
    number: str
    digest: str

    @property
    def key(self) -> Key:
        """Give where the answer lies: with its caller and client, unseen by others."""
        caller = self.caller
        # The client stands in the second part: what is kept of a caller is found
        # without knowing through which clients they called.
        owner = place("REPLAY", caller.tenant, caller.identity)
        return owner, place("CALL", caller.client, self.number)


def once(
    table: Table, call: Once, run: Callable[[], Answer], *, now: datetime
) -> Answer:
    """Give a call's earlier answer, or run it and keep what it says.

    A call that fails is forgotten, so that its retry runs.
    """
    kept = _taken(table, call, now)
    if kept is not None:
        return kept
    try:
        answer = run()
    except BaseException:
        # An id that stays taken would tell its retry to wait for nobody.
        table.delete(call.key)
        raise
    table.write(Write(call.key, whole=_item(call, now, answer)))
    return answer


def _taken(table: Table, call: Once, now: datetime) -> Answer | None:
    """Take the id; give the answer that lies there already."""
    free = "attribute_not_exists(#pk) OR #expires_at <= :now"
    outcome = table.write(
        Write(
            call.key,
            whole=_item(call, now, None),
            condition=free,
            values={":now": epoch(now)},
        )
    )
    if outcome.won or not alive(outcome.item, now):
        return None
    # Before the answer is opened: an id that is used twice by mistake must not bring
    # the results of another question.
    if outcome.item["digest"] != call.digest:
        raise Invalid([_OTHER])
    if "answer" not in outcome.item:
        raise Conflict("This call is still running.", retry_after=1)
    data, text = json.loads(zlib.decompress(outcome.item["answer"]))
    return data, text


def _item(call: Once, now: datetime, answer: Answer | None) -> dict[str, Any]:
    item = {"digest": call.digest, "expires_at": epoch(now + KEPT)}
    if answer is None:
        return item
    # A page of hits may come to tens of kilobytes, an item ends at 400.
    said = json.dumps(answer, ensure_ascii=False, default=str)
    return item | {"answer": zlib.compress(said.encode())}


_OTHER = Fault(
    "/request_id",
    "reused",
    "request_id: another call took this id",
    "Send a new id for a new call.",
)
