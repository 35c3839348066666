"""Run a command and end it when our stdin closes, that is when the parent dies.

Every way of dying closes a pipe, SIGKILL included, on Linux and macOS alike.
The parent keeps the write end; `child.py` is that parent.
Run as a script under `python -I -S`: nothing but the standard library is imported.

Usage: leash.py SIGNAL GRACE OWNER FOLDER COMMAND...
OWNER is `uid:gid`, FOLDER is removed once the parent let go; `-` is neither.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
from threading import Event, Thread

NONE = "-"
POLITE = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def _stay(_number: int, _frame: object) -> None:
    """Outlive a signal; SIG_IGN would be inherited by the command."""


def _spawn(owner: str, command: list[str]) -> subprocess.Popen[bytes]:
    """Start the command in a session of its own, as the owner where one is named."""
    user, _, group = owner.partition(":")
    return subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        start_new_session=True,
        user=int(user) if group else None,
        group=int(group) if group else None,
        extra_groups=[] if group else None,
    )


def _watch(
    process: subprocess.Popen[bytes], ending: int, grace: float, released: Event
) -> None:
    """Wait for the parent to let go, then end the command."""
    while os.read(0, 1):
        pass
    released.set()
    process.send_signal(ending)
    try:
        process.wait(grace)
    except subprocess.TimeoutExpired:
        process.kill()


def _sweep(process: subprocess.Popen[bytes], folder: str) -> None:
    """End what the command left behind, and remove its folder."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    if folder != NONE:
        shutil.rmtree(folder, ignore_errors=True)


def main(arguments: list[str]) -> int:
    """Return the command's exit code, a signal as 128 + its number."""
    ending, grace, owner, folder, *command = arguments
    for number in POLITE:
        signal.signal(number, _stay)
    process, released = _spawn(owner, command), Event()
    watched = (process, int(ending), float(grace), released)
    Thread(target=_watch, args=watched, daemon=True).start()
    code = process.wait()
    _sweep(process, folder if released.is_set() else NONE)
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    # A blocked read of stdin must not hold the interpreter's own ending.
    os._exit(main(sys.argv[1:]))
