"""Fifty writers race for thirty places.

Only a serialised moto can show that a conditional write is exact: its own threaded
server reads and writes apart, and lets 31 through in some runs.
"""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from infra.local.aws import Aws

WRITERS = 50
CAP = 30


@pytest.fixture(scope="module")
def dynamo(aws: Aws) -> Iterator[Any]:
    with closing(aws.client("dynamodb")) as client:
        yield client


def take(dynamo: Any, key: str) -> bool:
    try:
        dynamo.update_item(
            TableName="vitrine",
            Key={"pk": {"S": key}, "sk": {"S": "QUOTA"}},
            UpdateExpression="ADD used :one",
            ConditionExpression="attribute_not_exists(used) OR used < :cap",
            ExpressionAttributeValues={":one": {"N": "1"}, ":cap": {"N": str(CAP)}},
        )
    except dynamo.exceptions.ConditionalCheckFailedException:
        return False
    return True


@pytest.mark.parametrize("attempt", range(3))
def test_fifty_writers_at_a_cap_of_thirty_win_thirty(dynamo: Any, attempt: int) -> None:
    key = f"RACE#{attempt}"

    with ThreadPoolExecutor(WRITERS) as pool:
        won = list(pool.map(lambda _: take(dynamo, key), range(WRITERS)))

    assert won.count(True) == CAP
    item = dynamo.get_item(
        TableName="vitrine", Key={"pk": {"S": key}, "sk": {"S": "QUOTA"}}
    )["Item"]
    assert item["used"]["N"] == str(CAP)


def test_the_table_is_the_template_s_own(dynamo: Any) -> None:
    table = dynamo.describe_table(TableName="vitrine")["Table"]
    expiry = dynamo.describe_time_to_live(TableName="vitrine")

    assert table["KeySchema"] == [
        {"AttributeName": "pk", "KeyType": "HASH"},
        {"AttributeName": "sk", "KeyType": "RANGE"},
    ]
    assert table["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
    assert expiry["TimeToLiveDescription"]["AttributeName"] == "expires_at"


def test_secrets_are_kept_as_text_or_json(aws: Aws) -> None:
    aws.keep({"plain": "host=/tmp", "structured": {"url": "http://x"}})

    with closing(aws.client("secretsmanager")) as manager:
        plain = manager.get_secret_value(SecretId="plain")["SecretString"]
        structured = manager.get_secret_value(SecretId="structured")["SecretString"]
    assert plain == "host=/tmp"
    assert json.loads(structured) == {"url": "http://x"}
