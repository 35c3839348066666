"""What goes over the wire: how many requests, and what every search in them says."""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest

from infra.local.demo import shop
from vitrine.caller import Caller
from vitrine.problems import Unavailable
from vitrine.registry.profiles import Registry, registry_for
from vitrine.search.engine import Query
from vitrine.tree.conditions import TRUE, Condition, Member, Not, Present, Text
from vitrine.typesense import names
from vitrine.typesense.client import MOST_SEARCHES, connect
from vitrine.typesense.sealing import sealer
from vitrine.typesense.search import Typesense
from vitrine.typesense.version import FLOOR, Version, parsed

Search = dict[str, Any]
Sent = list[list[Search]]
Scripted = Callable[[Callable[[Search], Any]], tuple[Typesense, Sent]]
CALLER = Caller("boreal", "subject", "client")
SEALED = {
    "drop_tokens_threshold": "0",
    "split_join_tokens": "off",
    "enable_overrides": "false",
    "pinned_hits": "",
    "hidden_hits": "",
    "highlight_fields": "none",
    "use_cache": "false",
}
NOTHING = {"found": 0, "hits": [], "facet_counts": []}


@pytest.fixture
def scripted() -> Iterator[Scripted]:
    """Make an engine whose server answers each search by a script."""
    opened: list[httpx.Client] = []

    def engine(answer: Callable[[Search], Any]) -> tuple[Typesense, Sent]:
        sent: Sent = []

        def handle(request: httpx.Request) -> httpx.Response:
            searches = json.loads(request.read())["searches"]
            sent.append(searches)
            results = [answer(search) for search in searches]
            return httpx.Response(200, json={"results": results})

        http = httpx.Client(transport=httpx.MockTransport(handle))
        opened.append(http)
        return Typesense(connect("http://engine.example:1", "key", http=http)), sent

    yield engine
    for http in opened:
        http.close()


@pytest.fixture
def registry() -> Registry:
    return registry_for(shop.manifest(), "closed", tenant="boreal")


def found(number: int) -> Callable[[Search], Any]:
    return lambda _: NOTHING | {"found": number}


def material(registry: Registry) -> Condition:
    return Member(registry.fields["material"], ("oak",))


def test_a_search_that_finds_enough_is_one_request(
    scripted: Scripted, registry: Registry
) -> None:
    engine, sent = scripted(found(3))

    engine.search(Query(CALLER, registry, material(registry), Text("lamp")))
    engine.search(Query(CALLER, registry, TRUE, Text("lamp"), facets=("material",)))

    assert [len(searches) for searches in sent] == [2, 1]


def test_the_probe_has_the_guard_and_not_the_filters(
    scripted: Scripted, registry: Registry
) -> None:  # S02
    engine, sent = scripted(found(3))

    engine.search(Query(CALLER, registry, material(registry), Text("lamp")))

    ((page, probe),) = sent
    guard = f"GUARD:=[`{names.guard('boreal', 'products')}`]"
    assert page["filter_by"].startswith(f"{guard} && CODE_material")
    assert guard == probe["filter_by"]
    assert probe["per_page"] == "0"


def test_widening_costs_three_requests_at_most(
    scripted: Scripted, registry: Registry
) -> None:
    engine, sent = scripted(found(0))

    hits = engine.search(Query(CALLER, registry, material(registry), Text("lampadere")))

    assert hits.mode == "strict"
    assert len(sent) <= 3


def test_counts_of_a_tree_are_one_request(
    scripted: Scripted, registry: Registry
) -> None:
    engine, sent = scripted(found(3))
    conditions = [Present(f) for f in registry.fields.values()]

    counted = engine.count(Query(CALLER, registry, TRUE), conditions)

    assert [3] * len(conditions) == [c.number for c in counted]
    assert [len(conditions)] == [len(searches) for searches in sent]


def test_more_searches_than_the_server_takes_are_split(
    scripted: Scripted, registry: Registry
) -> None:
    engine, sent = scripted(found(3))
    conditions = [material(registry)] * (MOST_SEARCHES + 1)

    engine.count(Query(CALLER, registry, TRUE), conditions)

    assert [len(searches) for searches in sent] == [MOST_SEARCHES, 1]


@pytest.mark.parametrize("text", ["lamp", "lampadere chene", None])
def test_every_search_is_sealed_and_guarded(
    scripted: Scripted, registry: Registry, text: str | None
) -> None:  # T01
    engine, sent = scripted(found(0))
    leaf = Text(text) if text else None
    query = Query(CALLER, registry, Not(material(registry)), leaf, facets=("price",))

    engine.search(query)
    engine.count(query, [TRUE, material(registry)])
    engine.fetch(query, ["0f8fad5b-d9cb-469f-a165-70867728950e"])

    guard = f"GUARD:=[`{names.guard('boreal', 'products')}`]"
    for search in (search for searches in sent for search in searches):
        assert SEALED.items() <= search.items()
        assert search["filter_by"].startswith(guard)
        assert search["collection"] == "products_boreal_closed"
        assert search["sort_by"].endswith("TIE:asc")
        assert not {"purchase_cost", "stock_id"} & set(
            search["include_fields"].split(",")
        )


@pytest.mark.parametrize(
    "answer",
    [
        {"code": 404, "error": "Could not find a facet field"},
        {"code": 400, "error": "Could not parse the filter query."},
        {},
    ],
)
def test_an_error_inside_of_an_answer_is_raised(
    scripted: Scripted, registry: Registry, answer: Search
) -> None:
    engine, _ = scripted(lambda _: answer)

    with pytest.raises(Unavailable) as refusal:
        engine.search(Query(CALLER, registry, TRUE))

    assert "facet" not in str(refusal.value.body())


def test_what_a_careless_server_adds_goes_no_further(
    scripted: Scripted, registry: Registry
) -> None:  # T02
    ours = names.guard("boreal", "products")
    documents: list[Search] = [
        {"id": "1", "GUARD": ours, "name": "lamp", "purchase_cost": 5, "WORDS": ["a"]},
        {"id": "2", "GUARD": "other", "name": "secret"},
        {"id": "3", "name": "unguarded"},
        {"id": "4", "GUARD": ours, "name": "odd", "material": "unobtainium"},
    ]
    hits = [{"document": d, "text_match": 2**60} for d in documents]
    engine, _ = scripted(lambda _: {"found": 4, "hits": hits, "out_of": 9})

    answer = engine.search(Query(CALLER, registry, TRUE))

    assert [dict(row.values) for row in answer.rows] == [{"name": "lamp"}]
    assert not answer.exact


def test_a_sealed_search_travels_as_a_key_and_nothing_else(
    registry: Registry,
) -> None:
    sent: Sent = []

    def handle(request: httpx.Request) -> httpx.Response:
        assert request.headers["x-typesense-api-key"] == "nobody"
        sent.append(json.loads(request.read())["searches"])
        return httpx.Response(200, json={"results": [NOTHING] * len(sent[-1])})

    with httpx.Client(transport=httpx.MockTransport(handle)) as http:
        client = connect("http://engine.example:1", "nobody", http=http)
        engine = Typesense(client, sealer(client, "the parent key", lambda: 1_000.5))
        engine.search(Query(CALLER, registry, material(registry), Text("lamp")))

    for search in (search for searches in sent for search in searches):
        assert set(search) == {"collection", "x-typesense-api-key"}
        opened = b64decode(search["x-typesense-api-key"]).decode()
        assert "the parent key" not in opened
        inside = json.loads(opened[opened.index("{") :])
        assert inside["expires_at"] == 1_060
        assert {"q", "filter_by", "sort_by", "per_page", "page"} <= set(inside)
        assert "out_of" in inside["exclude_fields"]


@pytest.mark.parametrize(("there", "told"), [(False, "26.0"), (True, "27.1")])
def test_a_newer_server_is_asked_for_what_older_ones_do_anyway(
    registry: Registry, there: bool, told: str
) -> None:
    sent: Sent = []

    def handle(request: httpx.Request) -> httpx.Response:
        sent.append(json.loads(request.read())["searches"])
        return httpx.Response(200, json={"results": [NOTHING] * len(sent[-1])})

    with httpx.Client(transport=httpx.MockTransport(handle)) as http:
        client = connect("http://engine.example:1", "key", http=http)
        Typesense(client, version=parsed(told)).search(Query(CALLER, registry, TRUE))

    assert there == ("facet_strategy" in sent[0][0])


@pytest.mark.parametrize(
    ("version", "told"),
    [
        (Version(0, 24), "0.24.1"),
        (Version(30, 2), "v30.2"),
        (Version(29, 0), "29.0.rc3"),
        (FLOOR, "nightly"),
        (FLOOR, ""),
    ],
)
def test_a_version_is_read_and_an_unreadable_one_is_the_oldest(
    version: Version, told: str
) -> None:
    assert version == parsed(told)


def test_a_client_keeps_a_short_deadline() -> None:
    client = connect("https://engine.example/search", "key")
    config = client.config
    node = config.nodes[0]
    client.api_call.close()

    assert (config.connection_timeout_seconds, config.num_retries) == (2.0, 1)
    assert node.url() == "https://engine.example:443/search"
