"""The table: one typed door to DynamoDB's low-level client.

Items are plain dicts with ``pk``, ``sk`` and, where they end, ``expires_at`` (epoch
seconds). Every write is conditional, and a lost condition is an outcome, not an
error: it brings the item that stood in the way. ``expires_at`` is only a broom for
DynamoDB: readers compare it with ``now`` themselves, since the sweep is late by days.

The client comes from outside with short timeouts; botocore's own are 60 seconds.
A store that does not answer is ``Unavailable``.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from hashlib import sha256
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from botocore.exceptions import BotoCoreError, ClientError

from vitrine.problems import Unavailable

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

Item = Mapping[str, Any]
Key = tuple[str, str]
PAUSES = (0.0, 0.005, 0.01, 0.02, 0.04, 0.08)
"""Seconds before each further try of a write that met a transaction."""
LONGEST = 400
"""Bytes of a part of a key that stands there as it is: the two of a sort key fit."""
ITEM = 400 * 1024
"""Bytes of an item, DynamoDB's limit."""
KEYS = 2_048
"""Bytes of it left to names, keys (of three such parts) and small numbers."""
PAGES = 4
"""Reads of a megabyte, the most that one query gives, that a mark is looked for in."""
LOST = "ConditionalCheckFailed"
BUSY = frozenset({"TransactionConflict", "TransactionInProgress"})
DOWN = frozenset(
    {
        "LimitExceeded",
        "ProvisionedThroughputExceeded",
        "RequestLimitExceeded",
        "Throttling",
        "ThrottlingError",
    }
)
_SERVER_FAULT = 500


@dataclass(frozen=True, slots=True)
class Write:
    """One conditional write: ``change`` updates an item, ``whole`` replaces it.

    In the expressions every attribute stands as ``#name``, since DynamoDB reserves
    573 words, and every value as ``:name`` with its value in ``values``.
    """

    key: Key
    change: str = ""
    whole: Item | None = None
    condition: str = ""
    values: Item | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """Whether a write won; the items as they now stand, or stood in the way.

    A transaction that won brings no items.
    """

    won: bool
    items: tuple[dict[str, Any] | None, ...] = ()

    @property
    def item(self) -> dict[str, Any]:
        """Give the only item; empty where there was none."""
        return (self.items[0] if self.items else None) or {}


@dataclass(frozen=True, slots=True)
class Table:
    """A table by name, and the client that reaches it."""

    client: DynamoDBClient
    name: str
    pause: Callable[[float], None] = time.sleep

    def get(self, key: Key) -> dict[str, Any] | None:
        """Read one item, as of the last write."""
        with _reached():
            # Consistent, at twice the price: a charge decides on what it reads, and a
            # decision on old marks is only lost again.
            answer = self.client.get_item(
                TableName=self.name, Key=_key(key), ConsistentRead=True
            )
        return plain(answer["Item"]) if "Item" in answer else None

    def query(
        self, partition: str, low: str = "", high: str = "\U0010ffff"
    ) -> Iterator[dict[str, Any]]:
        """Read a partition's items between two sort keys, both included, in order."""
        asked: dict[str, Any] = {
            "TableName": self.name,
            "ConsistentRead": True,
            # An empty low bound is refused as a key; no sort key of ours begins below a
            # space.
            "KeyConditionExpression": "pk = :pk AND sk BETWEEN :low AND :high",
            "ExpressionAttributeValues": wire(
                {":pk": partition, ":low": low or " ", ":high": high}
            ),
        }
        while True:
            with _reached():
                answer = self.client.query(**asked)
            yield from (plain(item) for item in answer["Items"])
            if "LastEvaluatedKey" not in answer:
                return
            asked["ExclusiveStartKey"] = answer["LastEvaluatedKey"]

    def marked(self, partition: str, mark: bytes, *, since: str, now: datetime) -> bool:
        """Tell whether a living item from a sort key on has a mark among its ``marks``.

        The newest are looked at first, and ``PAGES`` megabytes at most.
        """
        asked: dict[str, Any] = {
            "TableName": self.name,
            "ConsistentRead": True,
            "ScanIndexForward": False,
            "KeyConditionExpression": "pk = :pk AND sk >= :since",
            # Compared over there: the marks themselves need not travel.
            "FilterExpression": "contains(marks, :mark) AND expires_at > :now",
            "ProjectionExpression": "sk",
            "ExpressionAttributeValues": wire(
                {":pk": partition, ":since": since, ":mark": mark, ":now": epoch(now)}
            ),
        }
        for _ in range(PAGES):
            with _reached():
                answer = self.client.query(**asked)
            if answer["Items"] or "LastEvaluatedKey" not in answer:
                return bool(answer["Items"])
            asked["ExclusiveStartKey"] = answer["LastEvaluatedKey"]
        return False

    def write(self, *writes: Write) -> Outcome:
        """Do one write, or several together or none; try again while it is busy."""
        for seconds in PAUSES:
            outcome = self._try(writes)
            if outcome is not None:
                return outcome
            self.pause(seconds)
        raise Unavailable("The store is busy.", retry_after=1)

    def delete(self, key: Key) -> bool:
        """Remove an item, there or not, and tell whether it was.

        It is tried again while a charge holds the item in its transaction.
        """
        for seconds in PAUSES:
            there = self._removed(key)
            if there is not None:
                return there
            self.pause(seconds)
        raise Unavailable("The store is busy.", retry_after=1)

    def _removed(self, key: Key) -> bool | None:
        """Remove once; None where a transaction holds the item."""
        with _reached():
            try:
                answer = self.client.delete_item(
                    TableName=self.name, Key=_key(key), ReturnValues="ALL_OLD"
                )
            except ClientError as error:
                if not BUSY & set(_codes(error)):
                    raise
                return None
        return "Attributes" in answer

    def _try(self, writes: Sequence[Write]) -> Outcome | None:
        """Write once; None where another transaction holds an item."""
        with _reached():
            try:
                return self._once(writes)
            except ClientError as error:
                codes = set(_codes(error))
                # A transaction tells a reason for each write. One lost condition
                # decides, even where another write merely met a transaction: trying
                # again can't win it.
                if LOST in codes:
                    return Outcome(won=False, items=_stood(error))
                if not BUSY & codes:
                    raise
        return None

    def _once(self, writes: Sequence[Write]) -> Outcome:
        if len(writes) > 1:
            asked: list[Any] = [{_verb(w): self._asked(w)} for w in writes]
            # Twice the units of single writes, so that a lone write never goes this
            # way.
            self.client.transact_write_items(TransactItems=asked)
            return Outcome(won=True)
        only = writes[0]
        if only.whole is not None:
            self.client.put_item(**self._asked(only))
            return Outcome(won=True, items=(dict(only.whole),))
        answer = self.client.update_item(**self._asked(only), ReturnValues="ALL_NEW")
        return Outcome(won=True, items=(plain(answer["Attributes"]),))

    def _asked(self, write: Write) -> dict[str, Any]:
        asked: dict[str, Any] = {"TableName": self.name}
        if write.whole is None:
            asked |= {"Key": _key(write.key), "UpdateExpression": write.change}
        else:
            asked["Item"] = _key(write.key) | wire(write.whole)
        if write.condition:
            asked["ConditionExpression"] = write.condition
            # The item that stood in the way comes with the refusal: no second read, and
            # none that could show another state.
            asked["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
        if write.values:
            asked["ExpressionAttributeValues"] = wire(write.values)
        # Gathered from the texts, so that no expression has a list beside it to be
        # forgotten.
        names = {f"#{n}": n for n in _NAME.findall(f"{write.change} {write.condition}")}
        return asked | ({"ExpressionAttributeNames": names} if names else {})


def place(kind: str, *parts: str) -> str:
    """Make a key of a kind and free texts, so that no two lists make the same one."""
    return "#".join((kind, *map(_part, parts)))


def epoch(moment: datetime) -> int:
    """Give an aware moment in whole seconds."""
    if moment.tzinfo is None:
        raise ValueError("an aware datetime is needed")
    return int(moment.timestamp())


def alive(item: Item | None, now: datetime) -> bool:
    """Tell whether an item is there and has not ended: the sweep is late by days."""
    return item is not None and item.get("expires_at", _NEVER) > epoch(now)


def wire(item: Item) -> dict[str, Any]:
    """Write an item's values as DynamoDB's typed JSON."""
    return {name: _typed(value) for name, value in item.items()}


def plain(item: Item) -> dict[str, Any]:
    """Read an item's values off DynamoDB's typed JSON."""
    return {name: _untyped(value) for name, value in item.items()}


def size_of(item: Item) -> int:
    """Give an item's size in bytes, names included, as DynamoDB counts it.

    Developer guide, "Item sizes and formats": text and binaries by length, numbers
    two digits a byte and one more, lists and maps three bytes and one an element.
    """
    return sum(len(name.encode()) + _weight(value) for name, value in item.items())


def write_units(items: Iterable[Item], *, together: bool) -> int:
    """Count the write units of items: one a started kB, twice that in transactions."""
    units = sum(-(-size_of(item) // 1024) for item in items)
    return units * 2 if together else units


def _part(text: str) -> str:
    """Quote a text, or name it by its hash: DynamoDB takes 1,024 bytes of sort key.

    A caller's own ids come here as they were sent, and a key that is refused would be
    a fault of ours. No quoted text begins with the sign that marks a hash.
    """
    quoted = quote(text, safe="")
    if len(quoted) <= LONGEST:
        return quoted
    return f"!{sha256(text.encode()).hexdigest()}"


_NAME = re.compile(r"#(\w+)")
_NEVER = 2**40


def _key(key: Key) -> dict[str, Any]:
    return wire({"pk": key[0], "sk": key[1]})


def _verb(write: Write) -> str:
    return "Update" if write.whole is None else "Put"


def _typed(value: Any) -> dict[str, Any]:
    if value is None or isinstance(value, bool):
        return {"NULL": True} if value is None else {"BOOL": value}
    if isinstance(value, int | Decimal):
        return {"N": str(value)}
    if isinstance(value, str | bytes):
        return {"S": value} if isinstance(value, str) else {"B": value}
    if isinstance(value, frozenset):
        return {"BS": sorted(value)}
    if isinstance(value, Mapping):
        return {"M": wire(value)}
    if isinstance(value, Sequence):
        return {"L": [_typed(v) for v in value]}
    raise TypeError(f"the store keeps no {type(value).__name__}")


def _untyped(value: Mapping[str, Any]) -> Any:
    kind, content = next(iter(value.items()))
    if kind == "N":
        number = Decimal(content)
        return int(number) if number == number.to_integral_value() else number
    if kind in _DEEP:
        return _DEEP[kind](content)
    return None if kind == "NULL" else content


_DEEP: Mapping[str, Callable[[Any], Any]] = {
    "BS": frozenset,
    "L": lambda content: [_untyped(v) for v in content],
    "M": plain,
}


def _weight(value: Any) -> int:
    if value is None or isinstance(value, bool):
        return 1
    if isinstance(value, int | Decimal):
        return len(str(abs(value)).replace(".", "")) // 2 + 2
    if isinstance(value, str | bytes):
        return len(value.encode() if isinstance(value, str) else value)
    if isinstance(value, frozenset):
        return sum(len(v) for v in value)
    if isinstance(value, Mapping):
        return 3 + len(value) + size_of(value)
    return 3 + sum(1 + _weight(v) for v in value)


@contextmanager
def _reached() -> Iterator[None]:
    """Turn a store that does not answer into ``Unavailable``; our mistakes stay."""
    try:
        yield
    except BotoCoreError as error:
        raise Unavailable("The store does not answer.", retry_after=5) from error
    except ClientError as error:
        status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
        # Throttling is a 400 too, and is the store's doing; any other 4xx is a mistake
        # of ours and must be loud.
        if status < _SERVER_FAULT and not DOWN & set(_codes(error)):
            raise
        raise Unavailable("The store does not answer.", retry_after=5) from error


def _codes(error: ClientError) -> Iterator[str]:
    yield error.response["Error"]["Code"].removesuffix("Exception")
    for reason in error.response.get("CancellationReasons", ()):
        yield reason.get("Code", "")


def _stood(error: ClientError) -> tuple[dict[str, Any] | None, ...]:
    reasons: Iterable[Any] = error.response.get(
        "CancellationReasons", (error.response,)
    )
    items = (reason.get("Item") for reason in reasons)
    return tuple(plain(item) if item else None for item in items)
