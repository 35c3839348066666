"""No log tells what an error said: engines quote rows, values and sentences there."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from io import StringIO
from typing import Any

import psycopg
import pytest
from botocore.exceptions import ClientError
from mangum import Mangum

from tests.unit.edge.fake_agent import (
    ERAS,
    FRONT,
    TRUST,
    Scripted,
    event,
    rpc,
    served,
)
from vitrine.edge import failures, telemetry
from vitrine.edge.endpoint import TEXTS, Endpoint
from vitrine.edge.failures import Failed, failure
from vitrine.edge.settings import UnsetError
from vitrine.problems import Unavailable

ROW = 'DETAIL: Failing row contains (marie@example.org, "divorce papers").'
HANDLER: Any = telemetry.logger.registered_handler


class Cursed(psycopg.errors.NotNullViolation):
    """As PostgreSQL would raise it, state included."""


def raised(error: Exception, cause: Exception | None = None) -> Exception:
    try:
        raise error from cause
    except type(error) as caught:
        return caught


@pytest.fixture
def log() -> Any:
    stream = StringIO()
    kept = HANDLER.setStream(stream)
    yield stream
    HANDLER.setStream(kept)


def test_an_error_is_its_type_its_code_and_its_place() -> None:
    (told,) = failure(raised(Cursed(ROW)))

    assert (f"{__name__}.Cursed", "23502") == (told["type"], told["code"])
    assert told["at"][-1].startswith("edge/test_failures.py:")
    assert "marie" not in json.dumps(told)


def test_its_causes_follow_without_their_words() -> None:
    told = failure(raised(Unavailable(), Cursed(ROW)))

    assert ["Unavailable", "Cursed"] == [t["type"].rpartition(".")[2] for t in told]
    assert "divorce" not in json.dumps(told)


def test_an_error_that_causes_itself_ends() -> None:
    one, other = ValueError(ROW), ValueError(ROW)
    one.__cause__, other.__cause__ = other, one

    assert failures.CAUSES == len(failure(one))


def test_a_recursion_is_a_few_places() -> None:
    def deeper() -> None:
        deeper()

    with pytest.raises(RecursionError) as caught:
        deeper()

    assert failures.PLACES == len(failure(caught.value)[0]["at"])


def test_an_aws_error_has_its_name() -> None:
    answer: Any = {"Error": {"Code": "ValidationException", "Message": ROW}}

    (told,) = failure(ClientError(answer, "PutItem"))

    assert told["code"] == "ValidationException"


def test_what_leaves_a_function_has_no_words(log: StringIO) -> None:
    def handler(_event: Any, _context: Any) -> Any:
        raise Cursed(ROW)

    with pytest.raises(Failed, match=r"^Cursed$") as left:
        telemetry._timed(handler)({}, None)

    assert left.value.__suppress_context__
    assert "23502" in log.getvalue()
    assert "marie" not in log.getvalue()


@pytest.mark.parametrize("error", [UnsetError("VITRINE_TABLE"), Unavailable("Later.")])
def test_our_own_words_stand(error: Exception) -> None:
    def handler(_event: Any, _context: Any) -> Any:
        raise error

    with pytest.raises(type(error)) as left:
        telemetry._timed(handler)({}, None)

    assert error is left.value


def test_a_library_s_record_loses_them_too() -> None:
    written, root = StringIO(), logging.getLogger()
    handler = logging.StreamHandler(written)
    root.addHandler(handler)
    failures.hush()
    failures.hush()
    logging.getLogger("mcp.server").error(
        "handler for %r raised", "ping", exc_info=raised(Cursed(ROW))
    )
    root.removeHandler(handler)

    assert "handler for 'ping' raised" in written.getvalue()
    assert "23502" in written.getvalue()
    assert "marie" not in written.getvalue()
    assert 1 == len(handler.filters)


def test_a_warning_is_a_record_and_no_line_of_its_own() -> None:
    told = "import logging, sys, warnings; from vitrine.edge.failures import hush"
    form = "logging.basicConfig(stream=sys.stdout, format='%(name)s'); hush()"

    # A process of its own: in this one, warnings are the test runner's.
    ended = subprocess.run(  # noqa: S603 - our own words
        [sys.executable, "-c", f"{told}; {form}; warnings.warn('stray')"],
        capture_output=True,
        check=True,
        text=True,
    )

    assert ("py.warnings\n", "") == (ended.stdout, ended.stderr)


@pytest.mark.parametrize("error", [Cursed(ROW), raised(Unavailable(), Cursed(ROW))])
def test_a_tool_that_fails_writes_none(log: StringIO, error: Exception) -> None:
    called = rpc(ERAS[1], "tools/call", name="search_shop", arguments={})

    answer = served(Scripted(error))(called, None)

    assert json.loads(answer["body"])["result"]["isError"]
    assert "23502" in log.getvalue()
    assert "marie" not in log.getvalue() + answer["body"]


def test_a_failed_admission_is_a_problem_and_writes_none(log: StringIO) -> None:
    def admit(_headers: Any) -> Scripted:
        raise Cursed(ROW)

    bridge: Any = Mangum(
        Endpoint(admit, TRUST, FRONT), lifespan="off", text_mime_types=TEXTS
    )

    answer = bridge(event(body={}), None)

    assert (500, "application/problem+json") == (
        answer["statusCode"],
        answer["headers"]["content-type"],
    )
    assert "23502" in log.getvalue()
    assert "marie" not in log.getvalue() + answer["body"]
