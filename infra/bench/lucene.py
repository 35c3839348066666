"""What BM25 is measured against: bm25s, or the same formula written once more here.

Both read words of two signs or more, drop Lucene's thirty-three stop words, stem with
Snowball's English and score ``rarity · tf / (tf + k1 · (1 - b + b · length / mean))``
over exact counts and lengths, each word of a query as often as it stands there.
"""

from __future__ import annotations

import importlib
import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

import psycopg
from psycopg import sql

K1 = 1.2
B = 0.75
DEPTH = 100
STOP = frozenset(
    re.findall(
        r"\w+",
        "a an and are as at be but by for if in into is it no not of on or such that"
        " the their then there these they this to was will with",
    )
)
_WORD = re.compile(r"\b\w\w+\b")
# PostgreSQL's own English dictionary drops more words than Lucene does.
_STEMMER = sql.SQL(
    "CREATE TEXT SEARCH DICTIONARY pg_temp.stems (TEMPLATE = snowball,"
    " LANGUAGE = english)"
)
_STEMS = sql.SQL(
    "SELECT w.word, (ts_lexize('pg_temp.stems', w.word))[1]"
    " FROM unnest(%s::text[]) AS w (word)"
)
Records = Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Reference:
    """A ranking to compare with, and what made it."""

    name: str
    ranking: Callable[[str], list[str]]


def reference(documents: Records, dsn: str) -> Reference:
    """Index the documents; the server lends its stemmer where bm25s is absent."""
    texts = [f"{d.get('title') or ''} {d.get('text') or ''}" for d in documents]
    keys = [str(d["id"]) for d in documents]
    if find_spec("bm25s") and find_spec("Stemmer"):
        return Reference(f"bm25s {version('bm25s')}", _bm25s(keys, texts))
    return Reference("Lucene's formula, own code", _own(keys, texts, dsn))


def _bm25s(keys: Sequence[str], texts: Sequence[str]) -> Callable[[str], list[str]]:
    library = importlib.import_module("bm25s")
    stemmer = importlib.import_module("Stemmer").Stemmer("english")

    def tokens(said: Sequence[str]) -> Any:
        how = {"stopwords": "en", "stemmer": stemmer, "show_progress": False}
        return library.tokenize(said, **how)

    index = library.BM25(k1=K1, b=B, method="lucene")
    index.index(tokens(list(texts)), show_progress=False)

    def ranking(text: str) -> list[str]:
        most = min(DEPTH, len(keys))
        found, _ = index.retrieve(tokens([text]), k=most, show_progress=False)
        return [keys[number] for number in found[0]]

    return ranking


def _own(
    keys: Sequence[str], texts: Sequence[str], dsn: str
) -> Callable[[str], list[str]]:
    with psycopg.connect(dsn) as connection:
        connection.execute(_STEMMER)
        bags = _bags(connection, texts)
    held: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    for number, bag in enumerate(bags):
        for stem, times in bag.items():
            held[stem].append((number, times))
    lengths = [bag.total() for bag in bags]
    mean = sum(lengths) / len(lengths)

    def ranking(text: str) -> list[str]:
        with psycopg.connect(dsn) as connection:
            connection.execute(_STEMMER)
            (asked,) = _bags(connection, [text])
        scores: defaultdict[int, float] = defaultdict(float)
        for stem, count in asked.items():
            rows = held[stem]
            told = math.log(1 + (len(keys) - len(rows) + 0.5) / (len(rows) + 0.5))
            for number, times in rows:
                long = K1 * (1 - B + B * lengths[number] / mean)
                scores[number] += count * told * times / (times + long)
        best = sorted(scores, key=lambda n: (-scores[n], n))[:DEPTH]
        return [keys[number] for number in best]

    return ranking


def _bags(
    connection: psycopg.Connection[Any], texts: Iterable[str]
) -> list[Counter[str]]:
    """Give each text's stems with their counts."""
    read = [[w for w in _WORD.findall(t.lower()) if w not in STOP] for t in texts]
    distinct = sorted({word for words in read for word in words})
    stems = dict(connection.execute(_STEMS, (distinct,)).fetchall())
    return [Counter(stems[word] or word for word in words) for words in read]
