"""Run a command and end it when our stdin closes, that is when the parent dies.

Every way of dying closes a pipe, SIGKILL included, on Linux and macOS alike.
The parent keeps the write end; `child.py` is that parent.
Run as a script under `python -I -S`: nothing but the standard library is imported.

Usage: leash.py SIGNAL OWNER COMMAND..., OWNER being `uid:gid`, or `-` for ourselves.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading

GRACE_SECONDS = 5.0
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


def _watch(process: subprocess.Popen[bytes], ending: int) -> None:
    """Wait for the parent to let go, then end the command."""
    while os.read(0, 1):
        pass
    process.send_signal(ending)
    try:
        process.wait(GRACE_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()


def main(arguments: list[str]) -> int:
    """Return the command's exit code, a signal as 128 + its number."""
    ending, owner, *command = arguments
    for number in POLITE:
        signal.signal(number, _stay)
    process = _spawn(owner, command)
    watcher = threading.Thread(target=_watch, args=(process, int(ending)), daemon=True)
    watcher.start()
    code = process.wait()
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)  # whatever the command left behind
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    # A blocked read of stdin must not hold the interpreter's own ending.
    os._exit(main(sys.argv[1:]))
