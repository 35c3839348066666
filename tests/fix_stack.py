"""The stack of a test session: one, each part started by the first test that asks."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from infra.local import postgres as engine
from infra.local import typesense as search
from infra.local.stack import PARTS, Stack

if TYPE_CHECKING:
    from collections.abc import Iterator

    from infra.local.aws import Aws

_numbers = itertools.count(1)


@dataclass(frozen=True, slots=True)
class Database:
    """A migrated database of one test module."""

    name: str
    dsn: str
    service_dsn: str


@pytest.fixture(scope="session")
def parts() -> Iterator[Stack]:
    """The session's stack with nothing started yet."""
    with Stack(parts=()) as idle:
        yield idle


@pytest.fixture(scope="session")
def stack(parts: Stack) -> Stack:
    """The whole running stack."""
    return parts.start(*PARTS)


@pytest.fixture(scope="session")
def postgres(parts: Stack) -> engine.Cluster:
    """The session's PostgreSQL cluster."""
    return parts.start("postgres").cluster


@pytest.fixture(scope="session")
def typesense(parts: Stack) -> search.Node:
    """The session's Typesense node; tests skip where there is none."""
    node = parts.start("typesense").typesense
    if node is None:
        pytest.skip(search.ABSENT)
    return node


@pytest.fixture(scope="session")
def aws(parts: Stack) -> Aws:
    """The session's AWS with the template's table."""
    return parts.start("aws").aws


@pytest.fixture(scope="module")
def database(postgres: engine.Cluster) -> Iterator[Database]:
    """A fresh copy of the migrated template."""
    name = f"test_{next(_numbers)}"
    postgres.create(name)
    yield Database(name, postgres.dsn(name), postgres.dsn(name, engine.SERVICE))
    postgres.drop(name)
