"""Where a stack keeps what it writes, and where it says that it runs.

Folders are made by us and private to us; nobody else's is ever changed.
"""

from __future__ import annotations

import os
import re
import stat
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# A socket's path holds 103 bytes on macOS, whose own temporary folder is long.
LONGEST_BASE = 60
# PostgreSQL reads a list of sockets' folders, a connection string and a log's prefix
# out of it, each with quoting of its own.
PLAIN = re.compile(r"[\w./+-]+", re.ASCII)
USUAL = ("/tmp", "/var/tmp")  # noqa: S108 - mkdtemp makes it private


def fresh(purpose: str) -> Path:
    """Make a private folder whose path a socket and a connection string can hold."""
    bases = [Path(base) for base in (tempfile.gettempdir(), *USUAL)]
    base = next(filter(_suitable, bases), bases[0])
    return Path(tempfile.mkdtemp(prefix=f"vitrine-{purpose}-", dir=base))


def _suitable(base: Path) -> bool:
    """Tell whether servers can keep their sockets and files there."""
    if len(str(base)) > LONGEST_BASE or not PLAIN.fullmatch(str(base)):
        return False
    return base.is_dir() and os.access(base, os.W_OK | os.X_OK) and _passable(base)


def _passable(base: Path) -> bool:
    """Tell whether servers that root runs as another user can get there."""
    if os.geteuid() != 0:
        return True
    return all(each.stat().st_mode & 0o001 for each in (base, *base.parents))


def private() -> Path:
    """Return the user's own runtime folder, refusing one that others can change."""
    base = os.environ.get("XDG_RUNTIME_DIR") or tempfile.gettempdir()
    folder = Path(base) / f"vitrine-{os.geteuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
        raise PermissionError(f"{folder} belongs to somebody else; remove it")
    if stat.S_IMODE(found.st_mode) & 0o077:
        raise PermissionError(f"{folder} is open to others; remove it")
    return folder
