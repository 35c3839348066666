"""A function's role reaches what the template says, on this machine as in the cloud."""

from __future__ import annotations

import json
from contextlib import closing
from typing import TYPE_CHECKING, Any

import boto3
import pytest
from botocore.exceptions import ClientError

from infra.local.permissions import Roles, Statement, calls, statements

if TYPE_CHECKING:
    from infra.local.aws import Aws

HELD = Statement(("dynamodb:GetItem", "dynamodb:PutItem"), ("OWNER#*", "CONTROL"))
ROLES = Roles(
    {"Execute": (HELD, Statement(("secretsmanager:GetSecretValue",), ("a",)))}
)
KEY = {"pk": {"S": "OWNER#t#u"}, "sk": {"S": "x"}}
DYNAMO = "DynamoDB_20120810."


def refusal(role: str, target: str, body: Any) -> str:
    signature = f"AWS4-HMAC-SHA256 Credential={role}/20261130/eu-west-1/x/aws4_request"
    return ROLES.refusal(signature, target, json.dumps(body).encode())


@pytest.mark.parametrize(
    ("target", "body"),
    [
        ("GetItem", {"Key": KEY}),
        ("PutItem", {"Item": KEY}),
        ("GetItem", {"Key": {"pk": {"S": "CONTROL"}}}),
        ("TransactWriteItems", {"TransactItems": [{"Put": {"Item": KEY}}]}),
    ],
)
def test_what_is_allowed_passes(target: str, body: Any) -> None:
    assert "" == refusal("Execute", DYNAMO + target, body)
    assert "" == refusal("local", DYNAMO + target, body)


@pytest.mark.parametrize(
    ("target", "body"),
    [
        ("DeleteItem", {"Key": KEY}),
        ("GetItem", {"Key": {"pk": {"S": "SEEN#t"}}}),
        ("GetItem", {"Key": {"pk": {"S": "CONTROLS"}}}),
        ("Scan", {}),
        ("Query", {"KeyConditionExpression": "pk = :pk"}),
        (
            "TransactWriteItems",
            {"TransactItems": [{"Put": {"Item": KEY}}, {"Delete": {"Key": KEY}}]},
        ),
    ],
)
def test_what_is_not_is_refused_by_name(target: str, body: Any) -> None:
    body |= {"ExpressionAttributeValues": {":pk": {"S": "SEEN#t"}}}

    assert refusal("Execute", DYNAMO + target, body).startswith("Execute is not auth")
    assert "" == refusal("local", DYNAMO + target, body)


def test_a_secret_is_allowed_by_its_name() -> None:
    target = "secretsmanager.GetSecretValue"

    assert "" == refusal("Execute", target, {"SecretId": "a"})
    assert refusal("Execute", target, {"SecretId": "b"})


def test_a_query_is_about_its_partition() -> None:
    body = {
        "KeyConditionExpression": "pk = :pk AND sk BETWEEN :low AND :high",
        "ExpressionAttributeValues": {":pk": {"S": "RAISE#t"}, ":low": {"S": " "}},
    }

    assert [("dynamodb:Query", "RAISE#t")] == list(calls(DYNAMO + "Query", body))


def test_policies_are_read_as_the_template_writes_them() -> None:
    written = [
        "AWSLambdaBasicExecutionRole",
        {
            "Statement": [
                {
                    "Action": "secretsmanager:GetSecretValue",
                    "Resource": "arn:x:secret:vitrine/seal-??????",
                },
                {"Action": ["bedrock:InvokeModel"], "Resource": "*"},
                {
                    "Action": "dynamodb:Query",
                    "Condition": {
                        "ForAllValues:StringLike": {"dynamodb:LeadingKeys": ["KNOWN#*"]}
                    },
                },
            ]
        },
    ]

    assert [
        Statement(("secretsmanager:GetSecretValue",), ("vitrine/seal",)),
        Statement(("dynamodb:Query",), ("KNOWN#*",)),
    ] == list(statements(written, lambda value: value))


def test_the_local_table_refuses_a_role_as_aws_does(aws: Aws) -> None:
    aws.permit({"Probe": (HELD,)})
    named = {"aws_access_key_id": "Probe", "aws_secret_access_key": "x"}
    client: Any = boto3.client(
        "dynamodb", endpoint_url=aws.url, region_name="eu-west-1", **named
    )

    with closing(client):
        client.get_item(TableName="vitrine", Key=KEY)
        with pytest.raises(ClientError) as refused:
            client.delete_item(TableName="vitrine", Key=KEY)

    assert "AccessDeniedException" == refused.value.response["Error"]["Code"]
    assert "dynamodb:DeleteItem on OWNER#t#u" in str(refused.value)
