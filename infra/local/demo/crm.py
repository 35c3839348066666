"""A CRM, generated: contacts, dated events and who took part in which role.

Two organisations speak in much the same words, each of its own Marie and its own
winter coats, so that a leak between them would be seen at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from random import Random
from typing import Any
from uuid import UUID

import psycopg
from psycopg import sql
from psycopg.types.json import Jsonb

from infra.local.demo import words
from infra.local.demo.directory import MEMBERS, TENANTS, learn, load, seed_directory
from infra.local.demo.words import Word

CONTACTS = {"aurore": 420, "boreal": 260}
EVENTS = {"aurore": 3_200, "boreal": 1_600}
LAST = datetime(2026, 11, 29, 17, 0, tzinfo=UTC)
DAYS_BACK = 900
# The day on which `LAST` was yesterday, and the calls below last month's.
TODAY = date(2026, 11, 30)

ROLES = words.weighted("roles")
TAGS = words.weighted("tags")
KINDS = ("call", "meeting", "email", "note", "order")
TOPICS = words.weighted("topics")
OUTCOMES = words.weighted("outcomes")
MARIES = {
    "aurore": (
        datetime(2026, 10, 14, 9, 30, tzinfo=UTC),
        "Appel avec Marie : manteaux d'hiver (called Marie about winter coats).",
    ),
    "boreal": (
        datetime(2026, 10, 16, 14, 5, tzinfo=UTC),
        "Called Marie about winter coats: she asked for a quote.",
    ),
}
"""What each organisation told its own Marie in the month before `TODAY`."""

CONTACT_COLUMNS = (
    "tenant",
    "id",
    "language",
    "kind",
    "name",
    "company",
    "email",
    "phone",
    "street",
    "postcode",
    "city",
    "country",
    "notes",
    "occurred_at",
    "owner",
    "teams",
    "is_public",
)
EVENT_COLUMNS = (
    "tenant",
    "id",
    "language",
    "kind",
    "content",
    "resolution",
    "occurred_at",
    "closed_at",
    "owner",
    "teams",
    "is_public",
    "ai_author",
    "ai_client",
    "ai_at",
)
Record = dict[str, Any]


def seed_crm(dsn: str, today: date = TODAY) -> dict[str, int]:
    """Load both organisations as a superuser; count contacts and events.

    Marie was called in the month before ``today``, in the sources' time zone.
    """
    with psycopg.connect(dsn) as connection:
        seed_directory(connection)
        made = {
            f"{tenant}.{table}": number
            for tenant in CONTACTS
            for table, number in _seed_tenant(connection, tenant, today).items()
        }
        learn(connection, "persons", "events")
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(sql.SQL("VACUUM (ANALYZE) crm.contacts, crm.events"))
        connection.execute(sql.SQL("ANALYZE crm.links, crm.contact_tags"))
    return made


def _seed_tenant(
    connection: psycopg.Connection[Any], tenant: str, today: date
) -> dict[str, int]:
    random = Random(f"crm {tenant}")
    contacts = list(_contacts(random, tenant))
    events = list(_events(random, tenant, today))
    _load_labels(connection, tenant)
    load(
        connection,
        ("crm", "contacts"),
        CONTACT_COLUMNS,
        _rows(contacts, CONTACT_COLUMNS),
    )
    load(connection, ("crm", "events"), EVENT_COLUMNS, _rows(events, EVENT_COLUMNS))
    links = list(_links(random, tenant, contacts, events))
    tags = list(_tagged(random, tenant, contacts))
    columns = ("tenant", "event_id", "contact_id", "label_id")
    load(connection, ("crm", "links"), columns, links)
    load(
        connection, ("crm", "contact_tags"), ("tenant", "contact_id", "label_id"), tags
    )
    return {"contacts": len(contacts), "events": len(events), "links": len(links)}


def _rows(records: Iterable[Record], columns: Sequence[str]) -> Iterator[list[Any]]:
    return ([record[c] for c in columns] for record in records)


def _load_labels(connection: psycopg.Connection[Any], tenant: str) -> None:
    rows = [
        (tenant, label_id(tenant, kind, word), kind, Jsonb(word.label))
        for kind, stock in (("role", ROLES), ("tag", TAGS))
        for word in dict.fromkeys(stock)
    ]
    load(connection, ("crm", "labels"), ("tenant", "id", "kind", "label"), rows)


def label_id(tenant: str, kind: str, word: Word) -> str:
    """Give a label's id: the same at each run, another one for each tenant."""
    return str(UUID(int=Random(f"{tenant} {kind} {word.en}").getrandbits(128)))


def _new_id(random: Random) -> str:
    return str(UUID(int=random.getrandbits(128), version=4))


def _contacts(random: Random, tenant: str) -> Iterator[Record]:
    """Generate contacts; the first one is the organisation's Marie, open to all."""
    marie = _contact(random, tenant, f"Marie {random.choice(words.LAST_NAMES)}")
    yield marie | {"is_public": True, "teams": []}
    for _ in range(CONTACTS[tenant] - 1):
        first, last = random.choice(words.FIRST_NAMES), random.choice(words.LAST_NAMES)
        yield _contact(random, tenant, f"{first} {last}")


def _contact(random: Random, tenant: str, name: str) -> Record:
    language = TENANTS[tenant][1]
    company = random.choice(words.COMPANIES).said(language)
    topic = random.choice(TOPICS).said(language)
    city, country = random.choice(words.CITIES)
    plain = name.lower().replace(" ", ".")
    return {
        "tenant": tenant,
        "id": _new_id(random),
        "language": language,
        "kind": "person",
        "name": name,
        "company": company,
        "email": f"{plain}@{company.split()[0].lower()}.example",
        "phone": " ".join(["06", *(f"{random.randint(0, 99):02d}" for _ in range(4))]),
        "street": f"{random.randint(1, 90)} rue de la Paix",
        "postcode": f"{random.randint(10_000, 95_999)}",
        "city": city,
        "country": country,
        "notes": _note(topic, language) if random.random() < 0.7 else None,
        "occurred_at": _when(random),
        **_access(random, tenant),
    }


def _note(topic: str, language: str) -> str:
    if language == "fr":
        return f"Intéressé par : {topic}."
    return f"Interested in: {topic}."


def _access(random: Random, tenant: str) -> Record:
    rule = random.choices(("public", "team", "owner"), (6, 3, 1))[0]
    team = random.choice((["marketing"], ["press"], ["direction"]))
    return {
        "owner": random.choice(list(MEMBERS[tenant])),
        "teams": team if rule == "team" else [],
        "is_public": rule == "public",
    }


def _when(random: Random) -> datetime:
    minutes = int(DAYS_BACK * 1_440 * random.random())
    return LAST - timedelta(minutes=minutes, microseconds=random.randrange(10**6))


def _events(random: Random, tenant: str, today: date) -> Iterator[Record]:
    """Generate events; the first one is what was said to Marie last month."""
    at, content = MARIES[tenant]
    marie = _event(random, tenant) | {"kind": "call", "content": content}
    moved = month_before(today, at)
    yield marie | {"occurred_at": moved, "is_public": True, "teams": []}
    for _ in range(EVENTS[tenant] - 1):
        yield _event(random, tenant)


def month_before(today: date, at: datetime) -> datetime:
    """Return the same day and time of the month before today's; no day after 28."""
    last = today.replace(day=1) - timedelta(days=1)
    return at.replace(year=last.year, month=last.month)


def _event(random: Random, tenant: str) -> Record:
    language = TENANTS[tenant][1]
    kind, topic = (
        random.choice(KINDS),
        random.choice(TOPICS),
    )
    at = _when(random)
    closed = random.random() < 0.5
    by_ai = kind == "note" and random.random() < 0.3
    return {
        "tenant": tenant,
        "id": _new_id(random),
        "language": language,
        "kind": kind,
        "content": _told(random, topic, language),
        "resolution": random.choice(OUTCOMES).said(language) if closed else None,
        "occurred_at": at,
        "closed_at": at + timedelta(days=random.randint(1, 30)) if closed else None,
        "ai_author": "assistant" if by_ai else None,
        "ai_client": "demo-agent" if by_ai else None,
        "ai_at": at if by_ai else None,
        **_access(random, tenant),
    }


def _told(random: Random, topic: Word, language: str) -> str:
    french = (
        f"Échange sur : {topic.fr}. À suivre.",
        f"{topic.fr.capitalize()} : le client hésite encore sur les quantités.",
        f"Point rapide, {topic.fr}, réponse attendue sous huit jours.",
    )
    english = (
        f"Talked about {topic.en}. To be continued.",
        f"{topic.en.capitalize()}: the client still hesitates about quantities.",
        f"Quick review of {topic.en}, an answer is due within a week.",
    )
    return random.choice(french if language == "fr" else english)


def _links(
    random: Random, tenant: str, contacts: list[Record], events: list[Record]
) -> Iterator[Sequence[str]]:
    """Link each event to one or two contacts, each of whom keeps to one role.

    The first event belongs to the first contact, a client.
    """
    roles = [label_id(tenant, "role", random.choice(ROLES)) for _ in contacts]
    roles[0] = label_id(tenant, "role", ROLES[0])
    yield tenant, events[0]["id"], contacts[0]["id"], roles[0]
    for event in events[1:]:
        for number in random.sample(range(len(contacts)), random.randint(1, 2)):
            yield tenant, event["id"], contacts[number]["id"], roles[number]


def _some_tags(random: Random) -> Iterable[Word]:
    return dict.fromkeys(random.choices(TAGS, k=random.choice((0, 0, 1, 1, 2))))


def _tagged(
    random: Random, tenant: str, contacts: list[Record]
) -> Iterator[Sequence[str]]:
    for contact in contacts:
        for tag in _some_tags(random):
            yield tenant, contact["id"], label_id(tenant, "tag", tag)
