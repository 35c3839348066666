"""A server or function that ends with us, however we end."""

from __future__ import annotations

import contextlib
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

LEASH = Path(__file__).with_name("leash.py")
TAIL = 2000
GRACE_SECONDS = 5.0
# What a leash may need beyond the grace, to remove a folder and to leave.
LEAVING_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Owner:
    """The system user that a child runs as."""

    user: int
    group: int

    def __str__(self) -> str:
        return f"{self.user}:{self.group}"


class Child:
    """A leashed process: it dies with this one, or at `end`."""

    def __init__(
        self,
        command: Sequence[str | Path],
        log: Path,
        *,
        ending: signal.Signals = signal.SIGTERM,
        grace: float = GRACE_SECONDS,
        owner: Owner | None = None,
        env: Mapping[str, str] | None = None,
        cwd: Path | str = "/",
        sweep: Path | None = None,
        piped: bool = False,
    ) -> None:
        """Start the command.

        Args:
            command: what to run.
            log: where its output goes.
            ending: the polite signal.
            grace: seconds between that signal and KILL.
            owner: the system user to run it as; ourselves by default.
            env: its environment; ours by default.
            cwd: its working folder.
            sweep: a folder to remove after its end.
            piped: whether `line` reads its standard output.
        """
        leash = [sys.executable, "-I", "-S", str(LEASH)]
        leash += [str(int(ending)), str(grace), str(owner or "-"), str(sweep or "-")]
        leash += map(str, command)
        self.log = log
        self._patience = grace + LEAVING_SECONDS
        with log.open("ab") as sink:
            self._process = subprocess.Popen(
                leash,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE if piped else sink,
                stderr=sink,
                env=env,
                cwd=cwd,
                start_new_session=True,
            )

    @property
    def alive(self) -> bool:
        """Tell whether the command still runs."""
        return self._process.poll() is None

    def line(self) -> str:
        """Read one line of a piped stdout; empty when the child has ended."""
        stdout: IO[bytes] | None = self._process.stdout
        return stdout.readline().decode().strip() if stdout else ""

    def tail(self) -> str:
        """Return the end of the log, for an error's sentence."""
        return self.log.read_text(errors="replace")[-TAIL:]

    def wait(self) -> int:
        """Wait for the end of the command and return its code."""
        return self._process.wait()

    def release(self) -> None:
        """Let go: the leash ends the command, and nobody waits for it here."""
        stdin = self._process.stdin
        if stdin and not stdin.closed:
            with contextlib.suppress(BrokenPipeError):
                stdin.close()

    def end(self) -> int:
        """Let go, wait for the end and return the exit code."""
        self.release()
        try:
            return self._process.wait(self._patience)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()
        finally:
            if self._process.stdout:
                self._process.stdout.close()
