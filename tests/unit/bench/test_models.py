from __future__ import annotations

import pytest

from infra.bench.interpret import MODELS, chat
from vitrine.models.bedrock import Bedrock

BEDROCK = {
    "VITRINE_BEDROCK_MODEL": "m",
    "VITRINE_BEDROCK_PRICE_IN": "1",
    "VITRINE_BEDROCK_PRICE_OUT": "2",
}


@pytest.mark.parametrize("name", MODELS)
def test_each_model_that_is_offered_is_built_or_says_what_it_lacks(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in (*BEDROCK, "OPENROUTER_API_KEY"):
        monkeypatch.delenv(variable, raising=False)
    if name == "lexicon":
        assert chat(name) is None
        return

    with pytest.raises(SystemExit, match=f"--model {name}.* [A-Z_]+"):
        chat(name)


def test_bedrock_is_read_from_the_functions_own_settings(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for variable, value in BEDROCK.items():
        monkeypatch.setenv(variable, value)

    found = chat("bedrock")

    assert isinstance(found, Bedrock)
    assert (found.model, found.prices.micros(1, 1)) == ("m", 3)
    monkeypatch.setenv("VITRINE_BEDROCK_PRICE_OUT", "0")
    with pytest.raises(SystemExit, match="VITRINE_BEDROCK_MODEL"):
        chat("bedrock")
