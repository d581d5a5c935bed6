"""What the tests of the page share: a server of its own, a line to it, and a browser, if there is one."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
BROWSER_ARGUMENTS = [
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update"),
]

PATIENCE = 300.0
"""Seconds after which what a test waits for will not come."""

needs_browser = pytest.mark.skipif(
    CHROMIUM is None, reason="no chromium on this machine: apt-get install chromium to run the browser tests"
)


PATIENT = f"""
from cpsat_tour.__main__ import main
from cpsat_tour.web.play import Judge
Judge.verdicts.__defaults__ = Judge.add_lengths_to_keep.__defaults__ = ({PATIENCE},)
main()
"""
"""The program, whose page waits for verdicts on walks: two seconds may be short where processors are busy."""


@contextmanager
def watching(*options: str, port: int = 0, patient: bool = False) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """``cpsat-tour watch`` on this port, 0 for any that is free, and the address of its page."""
    program = ["-c", PATIENT] if patient else ["-m", "cpsat_tour"]
    call = [sys.executable, *program, "watch", "--port", str(port), *options]
    with subprocess.Popen(
        call, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ | {"PYTHONUNBUFFERED": "1"}
    ) as run:
        assert run.stdout is not None
        try:
            yield run, run.stdout.readline().strip()
        finally:
            run.terminate()


class Line:
    """A WebSocket to the server, as a page has it."""

    def __init__(self, url: str, origin: str | None = None) -> None:
        from websockets.sync.client import connect
        from websockets.typing import Origin

        own = url.rstrip("/")
        address = f"ws://{urlsplit(url).netloc}/search"
        self._connecting = connect(address, origin=Origin(own if origin is None else origin), max_size=None, proxy=None)
        self.socket = self._connecting.__enter__()

    def __enter__(self) -> Line:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def send(self, message: object) -> None:
        """Send JSON, or text as it is."""
        self.socket.send(message if isinstance(message, str) else json.dumps(message))

    def receive(self) -> list[str]:
        """The lines of the next frame."""
        text = self.socket.recv(timeout=PATIENCE)
        assert isinstance(text, str)
        return text.split("\n")

    def ask(self, **setting: Any) -> dict[str, Any]:
        """Begin a search; its first line."""
        self.send({"do": "ask", "setting": setting})
        first: dict[str, Any] = json.loads(self.receive()[0])
        return first

    def question(self, do: str, setting: dict[str, Any], number: int = 1, **about: Any) -> dict[str, Any]:
        """The answer to a question about a setting."""
        self.send({"do": do, "setting": setting, "number": number, **about})
        answer: dict[str, Any] = json.loads(self.receive()[0])
        assert (answer["to"], answer["number"]) == (do, number)
        return answer

    def more(self, events: int) -> list[str]:
        """So many lines more, or all until the end."""
        self.send({"do": "more", "events": events})
        lines: list[str] = []
        while len(lines) < events:
            lines += self.receive()
            if json.loads(lines[-1])["event"] in (
                "tour_found",
                "no_tour",
                "search_stopped",
                "answer",
                "certificate",
                "refused",
            ):
                break
        return lines


def until(page: Any, expression: str) -> Any:
    """Wait until an expression is true in the page; its value. (Playwright's own waiting needs ``eval``, which the
    page's policy forbids.)"""
    end = time.monotonic() + PATIENCE
    while not (value := page.evaluate(expression)):
        assert time.monotonic() < end, f"{expression} does not come true; the page says: {page.inner_text('#status')!r}"
        page.wait_for_timeout(20)
    return value


def square(page: Any, name: str) -> Any:
    """The square of a board, a1 at the bottom left, once the board is laid out."""
    place = until(page, f"!watch.waits && [watch.plan.placeOf.get('{name}')]")[0]
    return page.locator(f"#board-{place}")


SHORT = """const at = (id) => document.getElementById(id), text = (id) => at(id).innerText;
  const shown = (id) => at(id).checkVisibility(), many = (css) => document.querySelectorAll(css).length;
  const { search, walk } = watch;"""
"""What the conditions of scenes may use."""

Step = str | tuple[str, ...]
"""A condition in JavaScript that is to come true, or what is done: to a ``square``, by a ``key``, with a ``tap``, by a
``link``, in a ``media``, or by a method of the page, such as ``click``, with its arguments."""

PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}

ENDED = "watch.over && watch.at === watch.length && !watch.playing"
PLAYED: tuple[Step, ...] = (("click", "#play"), ENDED)


def act(page: Any, *steps: Step) -> None:
    """Go through the steps of a scene."""
    for step in steps:
        if isinstance(step, str):
            until(page, f"(() => {{ {SHORT} return {step}; }})()")
        elif step[0] == "square":
            square(page, step[1]).click(modifiers=list(step[2:]))
        elif step[0] == "tap":
            (square(page, step[1]) if len(step[1]) == 2 else page.get_by_text(step[1], exact=True)).tap()
        elif step[0] == "media":
            page.emulate_media(media=step[1])
        elif step[0] == "key":
            page.keyboard.press(step[1])
        elif step[0] == "link":
            page.evaluate("(link) => { location.hash = link; }", step[1])
        else:
            getattr(page, step[0])(*step[1:])


def resident_megabytes(process: int) -> float:
    """The memory that a process holds."""
    status = Path(f"/proc/{process}/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS")) / 1024
