"""The import contracts leave no module out."""

from __future__ import annotations

import re
import tomllib

from tests.contract.fix_house import PACKAGE, ROOT

CONTRACTS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"][
    "importlinter"
]["contracts"]
LAYERED = {
    name
    for contract in CONTRACTS
    for layer in contract.get("layers", ())
    for name in re.findall(r"[\w.]+", layer)
}
MODULES = {
    ".".join((PACKAGE.name, *path.relative_to(PACKAGE).with_suffix("").parts))
    for path in PACKAGE.rglob("*.py")
    if path.name != "__init__.py"
}


def stands(module: str) -> bool:
    """Tell whether a module, or a package that it is in, is in some layer."""
    parts = module.split(".")
    return any(".".join(parts[:end]) in LAYERED for end in range(2, len(parts) + 1))


def test_every_module_has_its_layer() -> None:
    assert not sorted(module for module in MODULES if not stands(module))


def test_every_pure_module_is_there() -> None:
    pure = {name for one in CONTRACTS for name in one.get("source_modules", ())}
    rooms = {module.rpartition(".")[0] for module in MODULES}

    assert pure
    assert not sorted(pure - MODULES - rooms)
