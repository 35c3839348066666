from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.contract.fix_house import (
    HANDLERS,
    PACKAGE,
    ROOT,
    environment,
    functions,
    template,
)
from vitrine.edge import settings
from vitrine.edge.sampling import LOOKING
from vitrine.postgres.refresh import PATIENCE

TRUSTED = (settings.Storage, settings.Trust)
SEARCHING = (*TRUSTED, settings.Engines, settings.Sealing)
NEEDS: dict[str, tuple[type[settings.Settings], ...]] = {
    "interpret": (*TRUSTED, settings.Models),
    "validate": TRUSTED,
    "execute": (*SEARCHING, settings.Meaning),
    "explain_empty": SEARCHING,
    "mcp": (*SEARCHING, settings.Models, settings.Front, settings.Meaning),
    "admin": TRUSTED,
    "switch": (*TRUSTED, settings.Operation),
    "manifests": TRUSTED,
    "personal": (*TRUSTED, settings.Database, settings.Sealing),
    "sessions": TRUSTED,
    "searches": (*TRUSTED, settings.Sealing),
    "cost_monitor": (settings.Storage, settings.Money),
    "publish": (settings.Storage, settings.Writing),
    "sample_values": (settings.Storage, settings.Engines),
}
LONGEST = {
    "interpret": 29,
    "mcp": 29,
    "personal": 29,
    "publish": 55,
    "sample_values": 300,
}
WRITING = {"dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:DeleteItem"}


STORE = "".join(p.read_text() for p in (PACKAGE / "store").glob("*.py"))
# Sort keys, and what no function of this release touches.
LATER = {"HEAD", "SESSION", "SEARCH", "CLIENT", "CALL", "LIFT", "SOURCE"}


def statements(name: str) -> list[dict[str, Any]]:
    return [s for policy in functions()[name]["Policies"] for s in policy["Statement"]]


def actions(name: str) -> set[str]:
    listed = [s["Action"] for s in statements(name)]
    return {a for each in listed for a in ([each] if isinstance(each, str) else each)}


def test_the_template_lints(tmp_path: Path) -> None:
    command = [str(Path(sys.executable).with_name("cfn-lint")), "template.yaml"]
    # The linter wants a home, which a user without a name may lack.
    environ = {"HOME": str(tmp_path)} | os.environ

    done = subprocess.run(  # noqa: S603 - our own linter on our own file
        command, cwd=ROOT, env=environ, capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stdout) == (0, "")


def test_every_function_has_a_handler_and_the_other_way_round() -> None:
    assert set(functions()) == set(HANDLERS)


@pytest.mark.parametrize("name", sorted(NEEDS))
def test_a_function_gets_exactly_the_variables_that_its_parts_read(name: str) -> None:
    wanted = {v for kind in NEEDS[name] for v in settings.names(kind)}

    assert wanted == {v for v in environment(name) if v.startswith(settings.PREFIX)}


def test_every_function_is_known_here() -> None:
    assert set(NEEDS) == set(functions())


@pytest.mark.parametrize("name", sorted(NEEDS))
def test_timeouts_stay_below_the_gateways(name: str) -> None:
    timeout = functions()[name].get(
        "Timeout", template()["Globals"]["Function"]["Timeout"]
    )

    assert timeout <= LONGEST.get(name, 10)


def test_a_source_that_a_tick_still_begins_ends_before_its_function() -> None:
    """It may be sampled and learnt from, each at the longest."""
    each = int(PATIENCE.removesuffix("s"))

    assert functions()["sample_values"]["Timeout"] > LOOKING + 2 * each


@pytest.mark.parametrize("name", sorted(NEEDS))
def test_no_function_may_do_everything(name: str) -> None:
    allowed = actions(name)

    assert not [a for a in allowed if "*" in a]
    assert not allowed & {"dynamodb:Scan", "dynamodb:DeleteTable"}
    assert "*" not in [s["Resource"] for s in statements(name)]


def leading(name: str) -> set[str]:
    """List the kinds of partitions that a function may touch."""
    held = [s.get("Condition", {}) for s in statements(name)]
    keys = [c["ForAllValues:StringLike"]["dynamodb:LeadingKeys"] for c in held if c]
    return {key.partition("#")[0] for listed in keys for key in listed}


@pytest.mark.parametrize("name", sorted(NEEDS))
def test_a_function_touches_named_partitions_alone(name: str) -> None:
    stores = [s for s in statements(name) if "dynamodb" in str(s["Action"])]

    assert stores
    assert all("dynamodb:LeadingKeys" in str(s["Condition"]) for s in stores)


BUDGETS = {"FACETS", "SEEN", "ACCOUNT", "SHOWN", "BRAKE", "CANARY"}


@pytest.mark.parametrize(
    ("name", "never"),
    [
        ("execute", {"KNOWN", "READABLE", "REPLAY", "GRANT", "SPEND", "AUDIT"}),
        ("explain_empty", BUDGETS | {"KNOWN", "READABLE", "CONTROL"}),
        ("interpret", BUDGETS | {"KNOWN", "TALLY", "RAISE", "READABLE"}),
        ("sessions", BUDGETS | {"KNOWN", "TALLY", "SPEND"}),
        ("searches", BUDGETS | {"KNOWN", "TALLY", "SPEND"}),
        ("mcp", {"AUDIT", "FOLLOW"}),
    ],
)
def test_a_function_reaches_no_partition_that_it_has_no_use_for(
    name: str, never: set[str]
) -> None:
    assert not leading(name) & never


def test_who_erases_reaches_no_counter_and_no_audit_row() -> None:
    (removing,) = [
        s["Condition"]["ForAllValues:StringLike"]["dynamodb:LeadingKeys"]
        for s in statements("personal")
        if "dynamodb:DeleteItem" in str(s["Action"])
    ]
    stays = {"SEEN", "FACETS", "TALLY", "ACCOUNT", "BRAKE", "VOTER", "AUDIT", "PERSON"}

    assert not {key.partition("#")[0] for key in removing} & stays
    assert not actions("personal") & {"dynamodb:UpdateItem"}


def test_every_kind_of_partition_is_one_that_the_store_writes() -> None:
    written = set(re.findall(r'place\(\s*"([A-Z]+)"', STORE)) | {"CONTROL"}

    allowed = {kind for name in NEEDS for kind in leading(name)}

    assert allowed <= written
    assert written - allowed <= LATER


@pytest.mark.parametrize("name", ["validate", "manifests"])
def test_who_only_reads_may_write_nothing(name: str) -> None:
    assert not actions(name) & WRITING


@pytest.mark.parametrize(
    "name", ["interpret", "validate", "admin", "manifests", "switch", "cost_monitor"]
)
def test_who_searches_nothing_opens_no_engine(name: str) -> None:
    assert not {v for v in environment(name) if "DSN" in v or "TYPESENSE" in v}


def test_only_who_reads_sentences_knows_the_model() -> None:
    knowing = {n for n in NEEDS if "VITRINE_MODEL_SECRET" in environment(n)}

    assert knowing == {"interpret", "mcp"}


def test_no_tracer_is_loaded_and_tracing_is_on() -> None:
    assert template()["Globals"]["Function"]["Tracing"] == "Active"


def test_the_table_expires_and_can_be_restored() -> None:
    table = template()["Resources"]["Table"]["Properties"]

    assert table["TimeToLiveSpecification"]["AttributeName"] == "expires_at"
    assert table["PointInTimeRecoverySpecification"]["PointInTimeRecoveryEnabled"]
    assert table["BillingMode"] == "PAY_PER_REQUEST"


def test_a_browser_may_ask_and_read_what_the_protocol_needs() -> None:
    cors = template()["Resources"]["Api"]["Properties"]["CorsConfiguration"]
    protocol = {"mcp-protocol-version", "mcp-method", "mcp-name", "mcp-session-id"}

    assert {"authorization", "content-type", *protocol} <= set(cors["AllowHeaders"])
    assert "www-authenticate" in cors["ExposeHeaders"]
    assert "*" not in str(cors)
    assert "AllowCredentials" not in cors


def test_every_log_group_ends() -> None:
    groups = [r for r in template()["Resources"].values() if "LogGroup" in r["Type"]]

    assert groups
    assert all("RetentionInDays" in group["Properties"] for group in groups)


def test_each_worry_has_its_alarm() -> None:
    resources = template()["Resources"].items()
    alarms = {n.removesuffix("Alarm") for n, r in resources if "Alarm" in r["Type"]}

    assert {"Spend", "Silence", "Fault", "Latency", "Throttle", "DeadLetter"} <= alarms
    assert {"Brake", "Crawl", "Canary", "Refusal"} <= alarms


def test_alarms_watch_metrics_that_the_code_counts() -> None:
    source = "".join(p.read_text() for p in (PACKAGE / "edge").glob("*.py"))
    counted = set(re.findall(r'"([A-Z][A-Za-z]+)"', source))
    watched = set(
        re.findall(r"MetricName: ([A-Z]\w+)", (ROOT / "template.yaml").read_text())
    )
    aws = {"5xx", "Count", "Latency", "Throttles", "ReadThrottleEvents"}
    aws |= {"WriteThrottleEvents", "ApproximateNumberOfMessagesVisible"}

    assert watched - aws <= counted


def test_the_monitor_is_alone_retried_and_never_lost() -> None:
    monitor = functions()["cost_monitor"]
    schedule = monitor["Events"]["Tick"]["Properties"]

    assert monitor["ReservedConcurrentExecutions"] == 1
    assert schedule["ScheduleExpression"] == "rate(5 minutes)"
    for retries in (schedule["RetryPolicy"], monitor["EventInvokeConfig"]):
        assert retries["MaximumRetryAttempts"] == 2
    assert schedule["DeadLetterConfig"]
    assert monitor["EventInvokeConfig"]["DestinationConfig"]["OnFailure"]
