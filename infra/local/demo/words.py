"""A bilingual stock of words from which demo data is made, kept in `words.json`.

Each word stands once in French and once in English, so that both tenants speak of
the same things and a query in either language has something to find.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

STOCK = Path(__file__).with_name("words.json")


@dataclass(frozen=True, slots=True)
class Word:
    """One thing in both languages; ``share`` weighs how often it is drawn."""

    fr: str
    en: str
    share: int = 1

    def said(self, language: str) -> str:
        """Say the word in a language."""
        return self.fr if language == "fr" else self.en

    @property
    def label(self) -> dict[str, str]:
        """Give the word as a label in both languages."""
        return {"fr": self.fr, "en": self.en}


@cache
def _stock() -> dict[str, Any]:
    read: dict[str, Any] = json.loads(STOCK.read_text(encoding="utf-8"))
    return read


def weighted(name: str) -> tuple[Word, ...]:
    """Give a stock in which each word stands as often as its share says."""
    drawn = (Word(*pair) for pair in _stock()["pairs"][name])
    return tuple(word for word in drawn for _ in range(word.share))


def names(name: str) -> tuple[str, ...]:
    """Give a stock of names that are the same in every language."""
    return tuple(_stock()["names"][name])


MOODS = weighted("moods")
SUBJECTS = weighted("subjects")
SCENES = weighted("scenes")
SEASONS = weighted("seasons")
MATERIALS = weighted("materials")
CHANNELS = weighted("channels")
USES = weighted("uses")
LIGHTS = weighted("lights")
AUDIENCES = weighted("audiences")
STYLES = weighted("styles")
ROOMS = weighted("rooms")
LICENCES = weighted("licences")
CATEGORIES = weighted("categories")
COMPANIES = weighted("companies")
DESIGNERS = names("designers")
BRANDS = names("brands")
COLLECTIONS = names("collections")
PHOTOGRAPHERS = names("photographers")
FIRST_NAMES = names("first_names")
LAST_NAMES = names("last_names")
COLOURS = names("colours")
CITIES: tuple[tuple[str, str], ...] = tuple(
    (city, country) for city, country in _stock()["names"]["cities"]
)
