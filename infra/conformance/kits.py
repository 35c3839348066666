"""Where clients come from: pinned ones that stay, the latest for one run alone.

The latest are what people install today. A registry that can't be reached is no fault
of ours, and it is said; a client that can't be run is.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import venv
from dataclasses import dataclass, replace
from pathlib import Path

NODE = "node@22.23.3"
INSPECTOR = "@modelcontextprotocol/inspector"
TYPESCRIPT = "@modelcontextprotocol/sdk"
MODERN = "@modelcontextprotocol/client"
"""The TypeScript client's second life, which speaks the newer era."""
ADAPTERS = "langchain-mcp-adapters"
PYTHON = "mcp"
PINS = {INSPECTOR: "2.12.0", TYPESCRIPT: "1.32.2", MODERN: "2.4.0", ADAPTERS: "0.3.2"}
"""The official Python client is pinned as the product's own dependency is."""
SECONDS = 300


class Unreachable(RuntimeError):  # noqa: N818 - reads as the sentence it is
    """A registry gave no packages."""


@dataclass(frozen=True, slots=True)
class Kit:
    """One set of clients: Node's commands, and the Pythons that hold the others."""

    name: str
    bin_: Path
    folder: Path
    official: Path
    adapters: Path

    def versions(self) -> str:
        """Name what was brought, for who reads the run."""
        npm = (f"{name} {self._npm(name)}" for name in (INSPECTOR, TYPESCRIPT, MODERN))
        pip = (
            f"{name} {_installed(python, name)}"
            for name, python in ((PYTHON, self.official), (ADAPTERS, self.adapters))
        )
        return ", ".join([*npm, *pip])

    def _npm(self, name: str) -> str:
        path = self.folder / "node_modules" / name / "package.json"
        return str(json.loads(path.read_text(encoding="utf-8"))["version"])


def pinned(bin_: Path, build: Path) -> Kit:
    """Give the pinned clients; npm has brought its own already."""
    folder = build / "adapters"
    if not (folder / "ready").exists():
        _python(folder, f"{ADAPTERS}=={PINS[ADAPTERS]}")
        (folder / "ready").touch()
    python = folder / "bin" / "python"
    return Kit("pinned", bin_, build, Path(sys.executable), python)


def latest(folder: Path, kept: Kit) -> Kit:
    """Bring the latest clients into a folder; raise ``Unreachable`` if they can't be.

    Node stays the pinned one: it is no client.
    """
    try:
        npm(folder, [f"{name}@latest" for name in (INSPECTOR, TYPESCRIPT, MODERN)])
        # Each in an environment of its own: the adapters hold back the client.
        official = _python(folder / "official", PYTHON)
        adapters = _python(folder / "adapters", ADAPTERS)
    except (subprocess.SubprocessError, OSError) as error:
        raise Unreachable(f"the registries gave no latest clients: {error}") from error
    own = folder / "node_modules" / ".bin"
    # The commands' first line asks for `node`, which the pinned folder holds.
    (own / "node").unlink(missing_ok=True)
    (own / "node").symlink_to((kept.bin_ / "node").resolve())
    return replace(
        kept,
        name="latest",
        bin_=own,
        folder=folder,
        official=official,
        adapters=adapters,
    )


def npm(folder: Path, names: list[str]) -> None:
    """Install packages into a folder by npm."""
    command = shutil.which("npm")
    if command is None:
        raise SystemExit("npm is needed: it brings Node 22, the suite and clients")
    folder.mkdir(parents=True, exist_ok=True)
    quiet = ("--no-audit", "--no-fund", "--silent", "--prefix", str(folder))
    install = [command, "install", *quiet, *names]
    subprocess.run(install, check=True, timeout=SECONDS)


def _python(folder: Path, name: str) -> Path:
    """Make an environment that holds one package; give its interpreter."""
    python = folder / "bin" / "python"
    venv.create(folder, clear=True, with_pip=True)
    install = [str(python), "-m", "pip", "install", "-qq", "--upgrade", name]
    subprocess.run(install, check=True, stdout=sys.stderr, timeout=SECONDS)
    return python


def _installed(python: Path, name: str) -> str:
    code = f"import importlib.metadata as m; print(m.version({name!r}))"
    done = subprocess.run(
        [python, "-c", code], capture_output=True, text=True, check=False
    )
    return done.stdout.strip()
