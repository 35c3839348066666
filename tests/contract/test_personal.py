"""Whatever the table keeps is judged: a person's, or nobody's."""

from __future__ import annotations

import re

from tests.contract.fix_house import PACKAGE

STORE = PACKAGE / "store"
NOBODYS = {
    # What an organisation publishes, and what is learnt of everybody together.
    *("REGISTRY", "CONTENT", "SOURCES", "CANARY", "FOLLOW", "HABIT", "TOPIC"),
    # What all of a tenant or a deployment spend.
    *("BRAKE", "SPEND", "CIRCUIT"),
    # Sort keys.
    *("HEAD", "SOURCE", "SESSION", "SEARCH", "CLIENT", "CALL", "LIFT"),
}


def test_a_new_kind_of_item_is_told_and_erased_or_said_to_be_nobodys() -> None:
    files = STORE.glob("*.py")
    kept = {
        k for p in files for k in re.findall(r'place\(\s*"([A-Z]+)"', p.read_text())
    }
    told = set(re.findall(r'"([A-Z]+)"', (STORE / "personal.py").read_text()))

    assert kept - told == NOBODYS
