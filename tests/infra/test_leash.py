from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from infra.local import folders, waiting
from infra.local.child import Child

PATIENCE = 20.0
SHOW = "import os, sys; print(os.getpid(), flush=True); "
SLEEP = "import threading; threading.Event().wait()"
STUBBORN = (
    "import signal; signal.signal(signal.SIGTERM, lambda *_: None); "
    "print('ready', flush=True); "
    "[signal.pause() for _ in iter(int, 1)]"
)


def python(code: str, log: Path, **options: object) -> Child:
    return Child([sys.executable, "-c", code], log, piped=True, **options)


def gone(pid: int) -> bool:
    return not psutil.pid_exists(pid)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "log"


def test_a_child_ends_when_its_parent_is_killed(tmp_path: Path) -> None:
    parent_code = (
        "import sys, pathlib; from infra.local.child import Child; "
        f"child = Child([sys.executable, '-c', {SHOW + SLEEP!r}], "
        f"pathlib.Path({str(tmp_path / 'log')!r}), piped=True); "
        "print(child.line(), flush=True); child.wait()"
    )
    parent = subprocess.Popen(  # noqa: S603 - our own interpreter
        [sys.executable, "-c", parent_code],
        stdout=subprocess.PIPE,
        cwd=folders.ROOT,
        text=True,
    )
    assert parent.stdout
    pid = int(parent.stdout.readline())
    assert psutil.pid_exists(pid)

    parent.kill()
    parent.wait()
    parent.stdout.close()

    assert waiting.until(lambda: gone(pid), PATIENCE, what="the child's end")


def test_a_child_that_stays_is_killed_after_the_grace(log: Path) -> None:
    child = python(STUBBORN, log, grace=0.2)
    assert child.line() == "ready"

    code = child.end()

    assert code == 128 + signal.SIGKILL


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_leash_outlives_polite_signals(log: Path, number: signal.Signals) -> None:
    child = python(SHOW + SLEEP, log)
    pid = int(child.line())
    leash = psutil.Process(pid).ppid()

    os.kill(leash, number)

    assert child.alive
    assert psutil.pid_exists(pid)
    assert child.end() == 128 + signal.SIGTERM


def test_a_command_inherits_no_ignored_signal(log: Path) -> None:
    names = "SIGINT", "SIGTERM", "SIGHUP"
    code = (
        "import signal; print([n for n in "
        f"{names!r} if signal.getsignal(getattr(signal, n)) == signal.SIG_IGN])"
    )

    child = python(code, log)

    assert child.line() == "[]"
    assert child.wait() == 0
    child.end()


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("raise SystemExit(7)", 7),
        ("import os; os.kill(os.getpid(), 9)", 128 + signal.SIGKILL),
    ],
)
def test_the_exit_code_passes_through(log: Path, code: str, expected: int) -> None:
    child = python(code, log)

    assert child.wait() == expected
    assert not child.alive
    child.end()


def test_what_a_command_leaves_behind_ends_with_it(log: Path) -> None:
    code = (
        "import subprocess, sys; "
        f"p = subprocess.Popen([sys.executable, '-c', {SLEEP!r}], "
        "stdout=subprocess.DEVNULL); print(p.pid, flush=True)"
    )

    child = python(code, log)
    orphan = int(child.line())
    child.end()

    assert waiting.until(lambda: gone(orphan), PATIENCE, what="the orphan's end")


def test_a_folder_is_swept_once_its_command_was_let_go(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    child = python(SHOW + SLEEP, folder / "log", sweep=folder)
    assert child.line()
    assert folder.exists()

    child.end()

    assert not folder.exists()


def test_a_command_that_fails_keeps_its_log(tmp_path: Path) -> None:
    child = python("raise SystemExit('no room')", tmp_path / "log", sweep=tmp_path)

    child.wait()

    assert "no room" in child.tail()
    child.end()
