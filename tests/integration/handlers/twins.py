"""Twins planted in two organisations: the same words, and a mark that tells whose.

A leak between tenants would bring the other one's mark, codes or handles along.
"""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import psycopg
from psycopg import sql

from infra.local.demo import shop

WORDS = "amber heron"
MARKS = {"aurore": "zqaurorezq", "boreal": "zqborealzq"}
_EVENT = sql.SQL(
    "INSERT INTO crm.events (tenant, id, language, kind, content, owner, is_public)"
    " VALUES (%s, %s, 'en', 'note', %s, 'somebody', true)"
)
_CONTACT = sql.SQL(
    "INSERT INTO crm.contacts"
    " (tenant, id, language, kind, name, notes, phone, owner, is_public)"
    " VALUES (%s, %s, 'en', 'person', %s, %s, %s, 'somebody', true)"
)
_ASSET = sql.SQL(
    "INSERT INTO library.assets (tenant, id, language, kind, status, title,"
    " description, reference, occurred_at, owner, is_public)"
    " VALUES (%s, %s, 'en', 'photo', 'validated', %s, %s, %s, now(), 'somebody', true)"
)


def plant(dsn: str) -> None:
    """Put a twin of each organisation into library and CRM."""
    with psycopg.connect(dsn) as connection:
        for tenant, mark in MARKS.items():
            text = f"The {WORDS} of {mark}"
            connection.execute(_EVENT, (tenant, uuid4(), text))
            contact = (tenant, uuid4(), f"Amber Heron {mark}", text, "0612345678")
            connection.execute(_CONTACT, contact)
            asset = (tenant, uuid4(), text, text, f"TWIN-{mark}")
            connection.execute(_ASSET, asset)


def traces(tenant: str) -> frozenset[str]:
    """List what only this organisation's answers may hold."""
    codes = {str(record["sku"]) for record in shop.records(tenant)}
    return frozenset(codes | {MARKS[tenant]})


def refs(answer: Any) -> set[str]:
    """Collect every handle in an answer, however deep."""
    if isinstance(answer, dict):
        own = {answer["ref"]} if isinstance(answer.get("ref"), str) else set()
        return own.union(*(refs(part) for part in answer.values()))
    if isinstance(answer, list):
        return set().union(*(refs(part) for part in answer))
    return set()
