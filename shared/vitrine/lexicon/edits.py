"""What a message does to the tree: the words instead, also, remove, start over.

Only a tree can be edited: without one the same words are glue.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from vitrine.language.phrases import Span, find
from vitrine.lexicon import freeing
from vitrine.lexicon.context import opening
from vitrine.lexicon.marks import ends, joint, own
from vitrine.lexicon.sentence import Find, Sentence
from vitrine.tree.model import Group

OPENING = 3
"""Tokens among which a message's "no" opens it: "ok, no, blue"."""


@dataclass(frozen=True, slots=True)
class Edit:
    """The cues of a message; ``old`` are the tokens that name what is replaced."""

    reset: bool = False
    remove: bool = False
    headed: bool = False
    adding: tuple[tuple[int, int], ...] = ()
    replace: bool = False
    seek: bool = False
    old: range = range(0)


def expands(said: Sentence, edit: Edit) -> bool:
    """Tell whether a word for more touches what it adds, or opens the message.

    "Could you also check the price of first class?" adds a task, and no class.
    """
    values = [f for f in said.finds if f.kind in {"value", "person"}]
    return edit.headed or any(
        said.bridged(0, start)
        or any(
            _led(said, end, f.start) if end <= f.start else _led(said, f.end, start)
            for f in values
        )
        for start, end in edit.adding
    )


def _led(said: Sentence, start: int, end: int) -> bool:
    """Tell whether only small words, and those that agree, stand between two places."""
    return all(
        (said.glue(at) and not said.taken(at)) or own(said, at, "agreed")
        for at in range(start, end)
    )


def agree(said: Sentence, edit: Edit) -> None:
    """Claim the words that accept what a word for more adds: "blue is okay as well"."""
    if edit.adding and expands(said, edit):
        ways = [(at, own(said, at, "agreed")) for at in range(len(said.found))]
        said.settle(Find(at, end, "cue") for at, end in ways if end)
    if edit.replace:
        # the limit of "raise the limit to 400" is in the tree, no text to search
        ways = [(at, freeing.measure(said, at)) for at in range(len(said.found))]
        said.settle(Find(at, end, "cue") for at, end in ways if end)


def read(said: Sentence, tree: Group) -> Edit:
    """Find the cues and claim their words."""
    seek = _seek(said)
    if not tree:
        return Edit(seek=seek)
    cues = list(find(said.found, said.lang, "edits", inflected=False))
    cues = [s for s in cues if _open(said, s) and not _loose(said, s)]
    cues += [*_refusal(said), *freeing.lifted(said, cues)]
    cues += freeing.everything(said, cues)
    keys = {key for span in cues for key in span.keys}
    edit = Edit(
        reset="reset" in keys,
        remove="remove" in keys and "reset" not in keys,
        adding=tuple((s.start, s.end) for s in cues if _widens(said, s)),
        headed=_headed(said, cues),
        replace="replace" in keys,
        seek=seek,
        old=_old(said, cues),
    )
    claimed = keys - {"except", "these", "filter"}
    said.settle(
        Find(s.start, s.end, "cue", rank=9) for s in cues if set(s.keys) & claimed
    )
    if edit.old and own(said, edit.old.stop, "into"):
        # "change 60 to 80" is no range
        said.settle([Find(edit.old.stop, edit.old.stop + 1, "cue", rank=9)])
    return edit


def _open(said: Sentence, span: Span) -> bool:
    """Tell whether a cue is free, or holds a verb that only asks: "also show"."""
    inside = [f for f in said.finds if f.start < span.end and span.start < f.end]
    sought = all(f.kind == "cue" and f.start > span.start for f in inside)
    if sought and all(f.end <= span.end for f in inside):
        said.finds = [f for f in said.finds if f not in inside]
    return said.free(span.start, span.end)


def _refusal(said: Sentence) -> list[Span]:
    """Take the "no" of "no, blue" for a correction, unless it answers a question."""
    if said.wanted:
        return []
    places = range(min(len(said.found), OPENING))
    start = next((at for at in places if own(said, at, "refusal")), 0)
    end = own(said, start, "refusal") if opening(said, 0) >= start else 0
    comma = 0 < end < len(said.found) - 1 and said.found[end].folded == ","
    return [Span(start, end, ("replace",))] if comma else []


def _loose(said: Sentence, span: Span) -> bool:
    """Tell an "any" that frees no field: "any colour" does, "any other hotel" not."""
    if own(said, span.start, "whichever") != span.end:
        return False
    return not freeing.names(said, span.end)


def _widens(said: Sentence, span: Span) -> bool:
    """Tell whether a cue adds alternatives; "only" stands among them and narrows."""
    added = bool({"expand", "add"} & set(span.keys))
    if own(said, span.start, "trailing") == span.end and not _closes(said, span.end):
        return False  # "too" behind a phrase adds, "too heavy" does not
    return added and own(said, span.start, "narrow") != span.end


def _closes(said: Sentence, at: int) -> bool:
    return at >= len(said.found) or ends(said, at)


def _seek(said: Sentence) -> bool:
    """Claim a verb that only asks to search ("show me"), wherever it opens a clause."""
    claimed = []
    for at in range(len(said.found)):
        end = own(said, at, "seek")
        if end and (at == 0 or ends(said, at - 1) or said.bridged(0, at)):
            claimed.append(Find(at, end, "cue", rank=9))
    said.settle(claimed)
    return bool(claimed)


def _headed(said: Sentence, cues: list[Span]) -> bool:
    """Tell whether the message opens with "or", but not with "or rather"."""
    corrects = any(s.start == 0 and "replace" in s.keys for s in cues)
    return bool(said.found) and joint(said, 0, "or") and not corrects


def _old(said: Sentence, cues: list[Span]) -> range:
    """Find what is replaced: after "instead of", or between "change" and "to"."""
    for span in cues:
        if "replace" not in span.keys:
            continue
        if _of(said, span):
            return range(span.end, _stop(said, span.end))
        into = next(_into(said, span.end), None)
        if into is not None and span.start <= 1:
            return range(span.end, into)
    return range(0)


def _of(said: Sentence, span: Span) -> bool:
    """Tell a cue that ends with its link: "instead of", where "rather the" has none."""
    return bool(own(said, span.end - 1, "of"))


def _stop(said: Sentence, start: int) -> int:
    commas = (at for at in range(start, len(said.found)) if ends(said, at))
    return next(commas, len(said.found))


def _into(said: Sentence, start: int) -> Iterator[int]:
    yield from (at for at in range(start, len(said.found)) if own(said, at, "into"))
