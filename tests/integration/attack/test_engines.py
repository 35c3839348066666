"""The benchmark in short, on real engines: at most three thousand calls."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from infra.attack import campaign, goods, tenant
from infra.attack.campaign import Scale
from infra.attack.figures import Figures
from infra.attack.gate import Clock, quiet
from infra.attack.published import Pair, on_postgres, on_typesense
from infra.attack.shelf import Shelf
from infra.coverage import main as coverage
from infra.local import postgres as servers
from infra.local import typesense as local
from infra.local.aws import Aws
from infra.local.demo import shop
from vitrine.store.table import Table

SIZE = 1_500
DAY, COMPANY = 150, 450
SHORT = Scale(
    calls=120,
    naive_calls=60,
    oracle_calls=25,
    sessions=6,
    sybils=(4,),
    every=11,
)
SOME = frozenset({"totals", "9 known, no page", "1 known, a page of one"})


@pytest.fixture(scope="module")
def sold(typesense: local.Node) -> Iterator[tuple[Pair, list[goods.Record]]]:
    quiet()
    clock = Clock(goods.START)
    with on_typesense(typesense, clock, (Shelf(), Shelf()), SIZE) as found:
        yield found


@pytest.fixture(scope="module")
def kept(postgres: servers.Cluster) -> Iterator[Pair]:
    quiet()
    with on_postgres(postgres, Clock(goods.START), (Shelf(), Shelf()), SIZE) as pair:
        yield pair


def test_a_shop_on_typesense_stays_closed(
    sold: tuple[Pair, list[goods.Record]],
) -> None:
    pair, records = sold
    figures = Figures()

    campaign.crawlers(pair.stage, figures, SHORT)
    campaign.oracles(pair.stage, figures, SHORT, SOME.__contains__)
    campaign.corrections(pair.stage, figures, ["Solstice", "Garrigue", "Littoral"])
    campaign.private(pair.stage, pair.twin, figures, SHORT, pair.privates)
    campaign.crowds(pair.stage, figures, SHORT)
    campaign.shopping(pair.stage, figures, SHORT, records)

    _closed(figures, pair)
    told = [row.note for rows in figures.rows.values() for row in rows]
    assert "0 words told of 3 misspelt" in told
    assert figures.last["shopper_turns_refused"] < 5


def test_a_library_on_postgresql_stays_closed(kept: Pair) -> None:
    figures = Figures()

    campaign.crawlers(kept.stage, figures, SHORT)
    campaign.oracles(kept.stage, figures, SHORT, SOME.__contains__)
    campaign.private(kept.stage, kept.twin, figures, SHORT, kept.privates[:2])
    campaign.crowds(kept.stage, figures, SHORT)

    _closed(figures, kept)


def _closed(figures: Figures, pair: Pair) -> None:
    last = figures.last
    most = pair.stage.share(1)
    assert last["naive"] > 1.5 * last["identity_day"] > 0
    assert last["identity_day"] <= round(DAY * most, 2)
    assert last["sybil50_account"] <= round(COMPANY * most, 2)
    assert (0, 0, 0) == (
        last["anonymous_pool"],
        last["pinned_by_counts"],
        last["private_bits"],
    )
    assert 0 == pair.stage.untyped + pair.twin.untyped


def test_the_emulator_bounds_a_day_and_its_coverage_is_printed(
    sold: tuple[Pair, list[goods.Record]],
    aws: Aws,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pair, _ = sold
    figures = Figures()
    with closing(aws.client("dynamodb")) as client:
        stage = campaign.restaged(pair.stage, Table(client, "vitrine"), "emulator")
        campaign.emulated(stage, figures, SHORT)
    for name, value in aws.environ().items():
        monkeypatch.setenv(name, value)

    coverage(["--table", "vitrine"])

    assert figures.last["identity_day"] == 10.0
    row = f"| {goods.TENANT} | products | {SIZE} | identity | {DAY} (10.00 %)"
    assert row in capsys.readouterr().out


def test_a_tenants_own_source_gets_a_dated_report(
    sold: tuple[Pair, list[goods.Record]], typesense: local.Node, tmp_path: Path
) -> None:
    assert sold
    now = datetime(2026, 11, 20, 8, tzinfo=UTC)
    asked = tenant.Asked(
        shop.MANIFEST, goods.TENANT, url=typesense.url, key=typesense.key
    )
    few = Scale(calls=40, naive_calls=20, oracle_calls=2, sybils=(2,), every=150)

    stage, figures = tenant.attacked(asked, few, now=now)
    path = tenant.written(stage, figures, few, now=now, folder=tmp_path)

    assert path.name == "attack-attack-products-20261120T080000Z.md"
    text = path.read_text("utf-8")
    assert f"sha256 {tenant.fingerprint(stage.registry)}" in text
    assert "- documents: 1,500" in text
    assert "'day': 150" in text
    assert "A9 2 identities of one account" in text
    assert 0 == figures.last["private_bits"] == figures.last["pinned_by_counts"]
