"""The scenes, in order; each plays its requests and demands what its title claims."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from infra.demo.notes import note
from infra.demo.stage import Beat, Person, Stage, demand, structured, told

Scene = Callable[[Stage], Iterator[Beat]]
Tree = dict[str, Any]

HEADLINE = {
    "fr": "quelque chose de calme pour l'en-tête de la newsletter, en paysage, "
    "pas ceux du printemps dernier",
    "en": "something calm for the newsletter header, landscape format, "
    "not last spring's",
}
CHAIRS = "chaises en chêne à moins de 300 €"
SESSION_CAP = 40
SWITCH_SECONDS = 5.2


def rule(field: str, operator: str, value: Any = None) -> Tree:
    """Write a rule as JSON."""
    bare = {"field": field, "operator": operator}
    return bare if value is None else bare | {"value": value}


def group(*rules: Tree, operator: str = "and") -> Tree:
    """Write a group as JSON."""
    return {"type": "group", "operator": operator, "rules": list(rules)}


def words(text: str) -> Tree:
    """Write a full-text rule."""
    return rule("full_text_search", "hybrid_search", text)


def headline(stage: Stage) -> Iterator[Beat]:
    """Ask for the newsletter's header in two languages."""
    for language, message in HEADLINE.items():
        read, beat = stage.say(stage.visitor, "media", message, language=language)
        rules = {r.get("field") for r in _rules(read["tree"])}
        demand({"full_text_search", "orientation"} <= rules, f"the tree is {rules}")
        yield beat
        found, beat = stage.find(
            stage.visitor, "media", session=read["session"], language=language
        )
        demand(found["hits"], "the headline finds something")
        demand(
            all(hit["orientation"] == "landscape" for hit in found["hits"]),
            "every hit is in landscape",
        )
        yield beat


def shop(stage: Stage) -> Iterator[Beat]:
    """Search the shop as a closed profile does."""
    read, beat = stage.say(stage.visitor, "products", CHAIRS, language="fr")
    yield beat
    found, beat = stage.find(
        stage.visitor, "products", session=read["session"], language="fr"
    )
    demand(found["hits"], "the shop finds something")
    demand(len(found["facets"]) == 8, f"eight facets, not {len(found['facets'])}")
    yield replace(beat, result=(*beat.result, *_facets(found["facets"])))


def replaced(stage: Stage) -> Iterator[Beat]:
    """Refine a bound that is already there."""
    read, beat = stage.say(
        stage.visitor, "media", "wider than 1000 pixels", language="en"
    )
    yield beat
    more, beat = stage.say(
        stage.visitor,
        "media",
        "rather wider than 2000",
        session=read["session"],
        language="en",
    )
    bounds = [r["value"] for r in _rules(more["tree"]) if r["field"] == "width"]
    demand(bounds == [2000], f"one bound of 2000 is left, not {bounds}")
    yield beat


def removed(stage: Stage) -> Iterator[Beat]:
    """Take one value out of an alternative, two groups down."""
    read, beat = stage.say(
        stage.visitor, "media", "calm in landscape, in red or blue", language="en"
    )
    yield beat
    more, beat = stage.say(
        stage.visitor,
        "media",
        "remove the red",
        session=read["session"],
        language="en",
    )
    gone = [c for c in more["changes"] if c["kind"] in ("removed", "replaced")]
    demand(gone, "something is removed")
    demand("red" not in more["sentence"], f"red is gone: {more['sentence']}")
    yield beat


def ambiguous(stage: Stage) -> Iterator[Beat]:
    """Say a word with two readings."""
    read, beat = stage.say(stage.visitor, "media", "paysage", language="fr")
    clarify = read.get("clarify") or {}
    demand(clarify, "it asks which is meant")
    demand(clarify["reason"] == "ambiguous", "it names the reason")
    demand(not read["tree"]["rules"], "the tree is unchanged")
    yield replace(beat, result=(clarify["question"], *_options(clarify)))


def empty(stage: Stage) -> Iterator[Beat]:
    """Search for what is not there, and ask why."""
    tree = group(
        words("calme"),
        rule("product_designer", "vocab_text_equals", "Henning Koppel"),
        rule("orientation", "equals", "square"),
        rule("width", "greater_than", 30000),
    )
    found, beat = stage.find(stage.visitor, "media", tree=tree, language="fr")
    demand(not found["hits"], "nothing is found")
    yield beat
    body = {"source": "media", "tree": tree, "language": "fr"}
    why = stage.call(stage.visitor, "/v1/explain-empty", body)
    demand("/rules/3" in why["blocking"], f"the width blocks, not {why['blocking']}")
    yield Beat("explain-empty  the same tree", "", tuple(_explained(why)), why)


def agent(stage: Stage) -> Iterator[Beat]:
    """Send one tree by HTTP and by MCP."""
    someone = stage.person("shopper-of-two-ways")
    wanted = (
        rule("category", "equals", "table lamp"),
        rule("price", "less_than", 200),
    )
    tree = group(words("glass"), *wanted)
    found, beat = stage.find(someone, "products", tree=tree, limit=5, language="en")
    yield beat
    filters = [{**r, "value": str(r["value"])} for r in wanted]
    result = stage.agent(someone).call(
        "search_products", query="glass", filters=filters, limit=5, language="en"
    )
    data = structured(result)
    ours, theirs = _refs(found["hits"]), _refs(data["hits"])
    demand(ours and ours == theirs, f"the same products: {ours} and {theirs}")
    yield Beat(
        "MCP search_products",
        data.get("sentence", ""),
        (f"{len(theirs)} products, the same refs in the same order",),
        data,
    )


def marie(stage: Stage) -> Iterator[Beat]:
    """Ask an agent's question of the CRM, as a member of each organisation."""
    filters = [
        {"field": "person", "operator": "person_name", "value": "Marie"},
        {"field": "happened_on", "operator": "in_period", "value": "last_month"},
    ]
    seen: list[set[str]] = []
    for tenant in ("aurore", "boreal"):
        member = stage.person("member", tenant=tenant, account=None)
        result = stage.agent(member).call(
            "search_events", filters=filters, limit=10, language="en"
        )
        data = structured(result)
        seen.append(set(_refs(data["hits"])))
        titles = tuple(hit["title"][:76] for hit in data["hits"][:2])
        coats = any("winter coats" in hit["title"] for hit in data["hits"])
        demand(coats, f"{tenant}'s own call with its Marie is found")
        yield Beat(
            f"MCP search_events for {tenant}: what did I say to Marie last month?",
            data.get("sentence", ""),
            titles,
            data,
        )
    demand(not seen[0] & seen[1], "neither finds a note of the other")


def spent(stage: Stage) -> Iterator[Beat]:
    """Page through one session until its budget is spent."""
    someone = stage.person("collector", account="hotel-aube")
    read, beat = stage.say(someone, "products", "lampes", language="fr")
    yield beat
    cursor: str | None = None
    shown: set[str] = set()
    for _ in range(3):
        more = {"cursor": cursor} if cursor else {}
        found, beat = stage.find(
            someone, "products", session=read["session"], language="fr", **more
        )
        shown |= set(_refs(found["hits"]))
        cursor = found.get("next_cursor")
    demand(cursor is None, "three pages are the last")
    yield replace(beat, request="execute    three pages of ten", result=beat.result[:1])
    body = {"source": "products", "session": read["session"], "language": "fr"}
    _anew(stage, someone, "chaises", body)
    found, _ = stage.find(someone, "products", session=read["session"], language="fr")
    shown |= set(_refs(found["hits"]))
    demand(len(shown) == SESSION_CAP, f"{SESSION_CAP} products shown: {len(shown)}")
    _anew(stage, someone, "tapis", body)
    refusal = stage.call(someone, "/v1/execute", body, status=429)
    demand(refusal["budget"] == "session", f"the session's budget: {refusal}")
    demand(refusal["way_on"], "the refusal names the way on")
    lines = (
        f"429 {refusal['type']}: {refusal['detail']}",
        f"way on: {refusal['way_on']}",
    )
    yield Beat("execute    one product more", "", lines, refusal)


def _anew(stage: Stage, someone: Person, message: str, body: Tree) -> None:
    """Forget the tree and ask for something else, in the same session."""
    for said in ("on recommence", message):
        stage.say(someone, "products", said, session=body["session"], language="fr")


def switched(stage: Stage) -> Iterator[Beat]:
    """Let a model spend the day's cap, and the cost monitor trip the switch."""
    stage.use_model({"intent": "search", "rule_group": group(words("sunset"))})
    read, beat = stage.say(
        stage.visitor, "media", "a sunset for the cover", language="en"
    )
    by = read["turn"]["by"]
    demand(by != "lexicon", f"the model reads it, not the {by}")
    cost = read["cost"]
    yield replace(beat, result=(f"read by {by} for {cost['micros']} µ$",))
    watched = stage.stack.invoke("CostMonitor")
    demand(watched["tripped"], f"the switch trips: {watched}")
    line = f"{watched['spent']} µ$ of {watched['cap']} µ$ spent: the switch is on"
    yield Beat("schedule   cost_monitor", "", (line,), watched)
    yield Beat("…          environments read the switch anew within 5 s")
    time.sleep(SWITCH_SECONDS)
    asked = len(stage.model.requests)
    visitor = stage.person("later")
    read, beat = stage.say(
        visitor, "media", "a sunset for the cover, in landscape", language="en"
    )
    demand(read["turn"]["by"] == "lexicon", "the lexicon reads it")
    demand(len(stage.model.requests) == asked, "no provider is called")
    line = f"read by {read['turn']['by']}: {read['cost']['why']}; no provider called"
    yield replace(beat, result=(line,))


def _rules(node: Tree) -> Iterator[Tree]:
    if "rules" not in node:
        yield node
    for child in node.get("rules", ()):
        yield from _rules(child)


def _refs(hits: list[dict[str, Any]]) -> list[str]:
    return [hit["ref"] for hit in hits]


def _facets(facets: Mapping[str, list[dict[str, Any]]]) -> Iterator[str]:
    for key, values in facets.items():
        shown = ", ".join(f"{v['label']} ({told(v['count'])})" for v in values[:3])
        yield f"facet {key:<13} {shown}"


def _options(clarify: Mapping[str, Any]) -> list[str]:
    return [f"- {option['label']}" for option in clarify["options"]]


def _explained(why: Mapping[str, Any]) -> Iterator[str]:
    for each in why["filters"]:
        blocks = "  ← blocks" if each["blocks"] else ""
        alone, rest = told(each["total"]), told(each["without"])
        yield f"{each['sentence']:<44} alone {alone}, without it {rest}{blocks}"
    for offer in why["suggestions"]:
        yield f"try: {offer['sentence']} ({told(offer['total'])})"


SCENES: tuple[tuple[str, Scene], ...] = (
    ("A sentence becomes a tree, in French and in English", headline),
    ("A shop with exactly eight open facets", shop),
    ("A refinement replaces the value that was there", replaced),
    ("A removal reaches into a nested alternative", removed),
    ("A word with two readings is asked, not guessed; nothing is searched", ambiguous),
    ("An empty result is explained filter by filter, in one trip", empty),
    ("An agent over MCP gets the same products", agent),
    ("What did I say to Marie last month? Each organisation its own", marie),
    ("A note by an AI: refused, allowed, found with its mark, and undone", note),
    ("A session that is spent refuses the next product, with the way on", spent),
    ("The switch is tripped by the spend; the lexicon takes over", switched),
)
SHOP_SCENES = frozenset({shop, agent, spent})
