"""A fresh table of the template's keys on the stack's AWS, one request at a time.

moto's own threaded server lets 31 of 50 through a cap of 30: without the stack's lock
around it, no claim about races would mean anything.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import boto3
import pytest
from botocore.config import Config

from vitrine.store.table import Table

if TYPE_CHECKING:
    from infra.local.aws import Aws

KEYS = ("pk", "sk")
SCHEMA = {
    "AttributeDefinitions": [{"AttributeName": k, "AttributeType": "S"} for k in KEYS],
    "KeySchema": [
        {"AttributeName": "pk", "KeyType": "HASH"},
        {"AttributeName": "sk", "KeyType": "RANGE"},
    ],
    "BillingMode": "PAY_PER_REQUEST",
}
_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def dynamo(aws: Aws) -> Iterator[Any]:
    """A client with a connection for each racer."""
    client = boto3.client(
        "dynamodb",
        endpoint_url=aws.url,
        region_name="eu-west-1",
        aws_access_key_id="local",
        aws_secret_access_key="local",
        config=Config(max_pool_connections=50, connect_timeout=5, read_timeout=30),
    )
    yield client
    client.close()


@pytest.fixture
def table(aws: Aws, dynamo: Any) -> Table:
    """A table that no other test writes to."""
    name = f"own_{next(_numbers)}"
    aws.create(name, SCHEMA)
    return Table(dynamo, name, pause=lambda _: None)
