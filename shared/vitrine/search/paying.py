"""Charge what is about to leave, and tell the operator what is worth watching."""

from __future__ import annotations

from collections.abc import Sequence

from vitrine.disclosure.watching import coverage, likeness
from vitrine.search.prepare import Ask, Parts
from vitrine.store.budgets import Account, Charge, charge


def pay(
    ask: Ask,
    parts: Parts,
    account: Account,
    documents: Sequence[str],
    *,
    searches: int = 0,
) -> Charge:
    """Charge documents; ``searches`` says which of the day's searches this is.

    Raises what ``store.budgets.charge`` raises.
    """
    charged = charge(account, documents, now=ask.now)
    budget = ask.registry.budget
    page = budget.answer if budget else 1
    figures = {
        **charged.strain,
        "coverage": coverage(charged.learnt, ask.registry.documents),
        "likeness": likeness(charged.today, searches, page=page, caps=account.caps),
    }
    parts.note(ask.caller, figures)
    watch(ask, parts, charged.granted)
    return charged


def watch(ask: Ask, parts: Parts, documents: Sequence[str]) -> None:
    """Tell the operator of canaries among documents that are about to leave."""
    registry = ask.registry
    if parts.canaries is None or not documents:
        return
    shown = parts.canaries.among(registry.tenant, registry.source, documents)
    if shown:
        parts.note(ask.caller, {"canaries": shown})
