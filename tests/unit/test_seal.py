from __future__ import annotations

import base64
import itertools
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vitrine.problems import Invalid
from vitrine.seal import Refs, Ring, Sealed, refs_of, ring_of

NOW = datetime(2026, 8, 2, 12, tzinfo=UTC)
SOON = NOW + timedelta(hours=1)
OLD, NEW = bytes(range(32)), bytes(range(32, 64))
CURSOR = Sealed("cursor", ("identity", "shop", "tree-hash"))
CONTENT = {"position": [0.5, "é", 12], "mode": "strict"}
ID = "018f3c1e-7c1a-7b7e-9d62-1f2a3b4c5d6e"


def ring(*keys: bytes) -> Ring:
    numbers = itertools.count(1)
    return Ring(keys or (OLD,), lambda: next(numbers).to_bytes(12, "big"))


def test_a_sealed_token_opens_to_its_content_until_it_ends() -> None:
    one = ring()

    token = one.seal(CURSOR, CONTENT, until=SOON)

    assert one.open(CURSOR, token, now=SOON - timedelta(seconds=1)) == CONTENT
    assert token.replace("-", "").replace("_", "").isalnum()


@pytest.mark.parametrize(
    ("what", "now"),
    [
        (Sealed("session", CURSOR.bound), NOW),
        (Sealed("cursor", ("other", "shop", "tree-hash")), NOW),
        (Sealed("cursor", ("identity", "shop", "other")), NOW),
        (Sealed("cursor", ("identity", "shoptree-hash")), NOW),
        (Sealed("cursor"), NOW),
        (CURSOR, SOON),
        (CURSOR, SOON + timedelta(days=400)),
    ],
)
def test_foreign_and_stale_tokens_are_one_refusal(what: Sealed, now: datetime) -> None:
    one = ring()
    token = one.seal(CURSOR, CONTENT, until=SOON)

    with pytest.raises(Invalid) as caught:
        one.open(what, token, now=now)

    with pytest.raises(Invalid) as forged:
        one.open(what, "AAAA", now=now)
    assert forged.value.body() == caught.value.body()


def test_a_token_changed_anywhere_is_refused() -> None:
    one = ring()
    token = one.seal(CURSOR, CONTENT, until=SOON)

    for place, old in enumerate(token):
        changed = token[:place] + ("A" if old != "A" else "B") + token[place + 1 :]
        with pytest.raises(Invalid):
            one.open(CURSOR, changed, now=NOW)


@given(st.text(max_size=60))
def test_no_text_crashes_the_reader(text: str) -> None:
    with pytest.raises(Invalid):
        ring().open(CURSOR, text, now=NOW)


@pytest.mark.parametrize("tail", ["=", "==", "\n", " ", "A"])
def test_a_token_has_one_spelling(tail: str) -> None:
    one = ring()
    token = one.seal(CURSOR, CONTENT, until=SOON)

    with pytest.raises(Invalid):
        one.open(CURSOR, token + tail, now=NOW)


def test_an_overlong_token_is_refused_undecoded() -> None:
    one = ring()
    token = one.seal(CURSOR, {"position": ["x" * 20_000]}, until=SOON)

    with pytest.raises(Invalid):
        one.open(CURSOR, token, now=NOW)


def test_the_first_key_seals_and_all_keys_open() -> None:
    before, during, after = ring(OLD), ring(NEW, OLD), ring(NEW)
    old, new = (r.seal(CURSOR, CONTENT, until=SOON) for r in (before, during))

    assert during.open(CURSOR, old, now=NOW) == CONTENT
    assert after.open(CURSOR, new, now=NOW) == CONTENT
    with pytest.raises(Invalid):
        after.open(CURSOR, old, now=NOW)


def test_a_token_hides_its_content() -> None:
    token = ring().seal(CURSOR, {"id": ID}, until=SOON)

    raw = base64.urlsafe_b64decode(token + "==")
    assert ID.encode() not in raw
    assert UUID(ID).bytes not in raw


@pytest.mark.parametrize("keys", [(), (b"short",), (OLD, b"short")])
def test_a_ring_refuses_bad_keys(keys: tuple[bytes, ...]) -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        Ring(keys, lambda: bytes(12))


def test_a_naive_end_is_a_mistake_of_ours() -> None:
    with pytest.raises(ValueError, match="aware"):
        ring().seal(CURSOR, CONTENT, until=SOON.replace(tzinfo=None))


@given(st.uuids().map(str), st.sampled_from(["a", "b"]), st.sampled_from(["s", "t"]))
def test_a_ref_leads_back_to_its_document_and_shows_nothing_of_it(
    document: str,
    tenant: str,
    source: str,
) -> None:
    refs = Refs(OLD)

    ref = refs.ref(tenant, source, document)

    assert refs.id_of(tenant, source, ref) == document
    assert refs.id_of(tenant, source, ref.upper()) == document
    assert len(ref) == 26
    assert base64.b32decode(ref.upper() + "======") != UUID(document).bytes


def test_a_ref_is_stable_and_differs_by_tenant_source_and_key() -> None:
    places = [("a", "s"), ("b", "s"), ("a", "t"), ("as", ""), ("", "as")]

    refs = {Refs(OLD).ref(*place, ID) for place in places}
    assert len(refs | {Refs(NEW).ref("a", "s", ID)}) == 6
    assert Refs(OLD).ref("a", "s", ID) == "765l7tsgurvuessqdzvpbfhdxa"


def test_another_tenants_ref_is_no_document_of_mine() -> None:
    refs = Refs(OLD)

    assert refs.id_of("b", "s", refs.ref("a", "s", ID)) != ID


@pytest.mark.parametrize(
    "ref", ["", "x", "a" * 25, "a" * 27, "0" * 26, "a" * 25 + "b", "é" * 26, ID]
)
def test_what_can_not_be_a_ref_gives_none(ref: str) -> None:
    assert Refs(OLD).id_of("a", "s", ref) is None


def test_ring_and_refs_are_read_off_the_kept_secret() -> None:
    old, new = (base64.b64encode(key).decode() for key in (OLD, NEW))
    secret = {"keys": [new, old], "ref_key": old}

    token = ring(OLD).seal(CURSOR, CONTENT, until=SOON)
    assert ring_of(secret, lambda: bytes(12)).open(CURSOR, token, now=NOW) == CONTENT
    assert refs_of(secret).ref("a", "s", ID) == Refs(OLD).ref("a", "s", ID)
