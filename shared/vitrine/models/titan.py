"""Text embeddings of Amazon Bedrock: Titan and whatever speaks as it does.

One text a call, signed by the function's own role: there is no key to keep. Two
seconds are all a search may wait for, whatever botocore would retry.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from vitrine.models.chat import ModelFailure
from vitrine.models.embed import DIMENSIONS, SECONDS, gist

_ONCE = Config(
    connect_timeout=1.0, read_timeout=SECONDS, retries={"total_max_attempts": 1}
)


@dataclass
class Titan:
    """A model that takes ``inputText`` and gives an ``embedding``.

    ``weight`` and ``reach`` are to be measured for the model, as for any other.
    """

    model: str
    weight: float = 0.3
    reach: float = 0.6
    dimensions: int = DIMENSIONS
    connect: Callable[..., Any] = field(default=boto3.client, repr=False)

    @property
    def name(self) -> str:
        """Name the model as Bedrock does."""
        return self.model

    @cached_property
    def client(self) -> Any:
        """Open the client at the first call."""
        return self.connect("bedrock-runtime", config=_ONCE)

    def essence(self, title: str, text: str) -> str:
        """Give what of a document is worth embedding."""
        return gist(title, text)

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Give each text's vector, or raise ``ModelFailure``."""
        return [self._embedded(text) for text in texts]

    def _embedded(self, text: str) -> list[float]:
        # An empty text is refused there; a full stop says as little.
        asked = {"inputText": text or ".", "dimensions": self.dimensions}
        try:
            answer = self.client.invoke_model(
                modelId=self.model, body=json.dumps(asked | {"normalize": True})
            )
            vector = json.loads(answer["body"].read())["embedding"]
        except ClientError as error:
            raise ModelFailure("refused", error.response["Error"]["Code"]) from error
        except BotoCoreError as error:
            raise ModelFailure("transport", type(error).__name__) from error
        except (LookupError, TypeError, ValueError) as error:
            raise ModelFailure("broken", "The reply has no vector.") from error
        if not isinstance(vector, list) or len(vector) != self.dimensions:
            raise ModelFailure("broken", "A vector has other dimensions.")
        return [float(number) for number in vector]
