"""What a server can do, by the version that it tells at ``GET /debug``.

A server ignores parameters that it does not know and answers 200, so a feature can't
be discovered by trying it. What is not told is taken for the oldest that is run.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import httpx
from typesense import Client
from typesense.exceptions import TypesenseClientError

from vitrine.problems import Unavailable

_NUMBERS = re.compile(r"v?(\d+)\.(\d+)")


@dataclass(frozen=True, slots=True, order=True)
class Version:
    """A server's version: major and minor, as in 0.24 and 30.2."""

    major: int
    minor: int

    @property
    def runs(self) -> bool:
        """Tell whether groups of filters nest, without which nothing here runs."""
        return self >= FLOOR

    @property
    def global_synonyms(self) -> bool:
        """Tell whether synonyms and curation are sets beside the collections."""
        return self >= Version(30, 0)

    @property
    def stopwords(self) -> bool:
        """Tell whether the server keeps sets of stopwords."""
        return self >= Version(0, 25)

    @property
    def exhaustive_facets(self) -> bool:
        """Tell whether facet counts are exact only where that is asked for."""
        return self >= Version(27, 0)


FLOOR = Version(0, 24)


def parsed(told: str) -> Version:
    """Read ``0.24.1``, ``v30.2`` or ``29.0.rc3``; the floor for anything else."""
    match = _NUMBERS.match(told)
    return Version(int(match[1]), int(match[2])) if match else FLOOR


def version_of(client: Client) -> Version:
    """Ask a server for its version; raise ``Unavailable`` where it says none.

    The key needs ``debug:list``.
    """
    try:
        told = client.debug.retrieve()["version"]
    except (TypesenseClientError, httpx.HTTPError, KeyError) as error:
        raise Unavailable("The search engine does not tell its version.") from error
    return parsed(told)
