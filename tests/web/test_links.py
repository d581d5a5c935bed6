"""Links: many that mean nothing, and what a thumb needs, in a real browser."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from watching import PHONE, PLAYED, act, needs_browser, until

pytest.importorskip("playwright.sync_api", reason="the browser tests need Playwright: pip install playwright")
pytestmark = needs_browser

NOTHING = "which means nothing here: the page goes on without it."
MISFIT = "does not fit here: the page goes on without it."
SIZES = "this page shows boards from 1x1 to 50x50: here is one of 8x8."
NO_SPACE = "is not a space: write one such as 8x8"

HOSTILE: list[tuple[str, str]] = [
    # wrong sizes, huge, negative
    ("board=0x0", SIZES),
    ("board=-1x8", SIZES),
    ("board=51x8", SIZES),
    ("board=999999999999x8", SIZES),
    ("board=8", SIZES),
    ("board=100x100&open=1", "The link asks for the board 100x100, and this page shows boards"),
    ("leaper=0,0", NOTHING),
    ("leaper=-1,2", NOTHING),
    ("leaper=1,2,3", NOTHING),
    ("seed=-1", NOTHING),
    ("seed=1e9", NOTHING),
    ("speed=99", NOTHING),
    ("space=torus:5000x5000", "too large"),
    ("space=torus:0x5", "has no squares"),
    ("space=GP(99999999,2)", "too large"),
    ("space=torus:99x99", "at most 400"),
    ("space=Kneser(40,20)", "There is no graph Kneser(40,20)"),
    (f"space={'x' * 5000}", NOTHING),
    # scripts, files, other languages
    ("board=<script>alert(1)</script>", SIZES),
    ("space=<img src=x onerror=alert(1)>", NO_SPACE),
    ("space=javascript:alert(1)", NO_SPACE),
    ("space=../../etc/passwd", NO_SPACE),
    ("space=nowhere", NO_SPACE),
    ("backend=py:os:system&go=1", NOTHING),
    ("board=8x8&backend=foo", "The link says backend=foo, which means nothing here"),
    ('{"board": [8, 8', NOTHING),
    ("eyJib2FyZCI6IjgifQ=", NOTHING),
    ("%", NOTHING),
    ("start=%F0%9F", MISFIT),
    ("__proto__=1&constructor=2", NOTHING),
    # modes and names that nobody knows
    ("mode=fly", NOTHING),
    ("open=2", NOTHING),
    ("proof=2", NOTHING),
    ("day=2026-99-99", NOTHING),
    ("order=sideways&go=1", "There is no move order 'sideways'"),
    ("prune=roses&go=1", "There is no pruning 'roses'"),
    ("board=5x6&symmetry=rot90&go=1", "'rot90' is not a symmetry of the 5x6 board"),
    # squares, walks and numbers that do not fit
    ("start=zz99", MISFIT),
    ("board=8x8&open=1&start=a1&end=k9", "What the link says of end does not fit here"),
    ("space=Petersen&start=12", "What the link says of start does not fit here"),
    ("board=1x1&holes=a1", "leave at least one square"),
    ("play=1&start=a1&end=a1", MISFIT),
    (f"play=1&walk={'a1-b3-' * 3000}", "is not a walk here"),
    ("play=1&walk=__proto__-constructor", "is not a walk here"),
    ("play=1&at=a1:0", NOTHING),
    ("board=8x8&play=1&walk=a1-a2", "The link’s walk a1-a2 is not a walk here"),
    ("board=8x8&play=1&at=b3:2,a1:99", "What the link says of at does not fit here"),
    ("board=8x8&at=a1:99999", "The link says at=a1:99999, which means nothing here"),
    ("board=8x8&at=a1:99", "What the link says of at does not fit here"),
    ("board=6x6&play=1&at=a1:1,a1:2", "a1 is given both 1 and 2"),
    ("board=6x6&filled=a1:2", MISFIT),
    ("board=6x6&at=a1:1&filled=a1:2,b3:__proto__", MISFIT),
    ("board=6x6&at=a1:1&notes=%F0%9F:3", MISFIT),
    ("board=6x6&at=a1:1&walk=a1-b3", MISFIT),
    ("board=6x6&walk=a1-a2&event=9999999", "is not a walk here"),
]


@pytest.mark.parametrize("step", [2, pytest.param(1, marks=pytest.mark.slow)], ids=["every other", "all"])
def test_hostile_links_are_told_in_a_sentence_and_the_console_stays_empty(
    step: int, new_page: Callable[..., Any], page_server: tuple[Any, str]
) -> None:
    page, said = new_page(), list[str]()
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda fault: said.append(str(fault)))
    for link, words in HOSTILE[::step]:
        page.goto("about:blank")
        page.goto(f"{page_server[1]}#{link}")
        until(page, f"globalThis.watch && document.getElementById('status').innerText.includes({json.dumps(words)})")
        assert said == [], link
    act(page, ("link", "#board=5x5&open=1&start=a1&speed=12"), "watch.plan.order === 25 && !watch.waits")
    act(page, *PLAYED, "text('status').startsWith('An open tour is found')")
    page.close()


SMALL = """() => [...document.querySelectorAll(
    "button, select, summary, nav a, .segments span, .switch, input:not([type=radio], [type=checkbox])")]
  .filter((e) => e.checkVisibility() && e.matches(":not(.segments span span)"))
  .map((e) => [e.id || e.className || e.innerText, e.getBoundingClientRect()])
  .filter(([, box]) => box.width < 44 || box.height < 44).map(([name, { width, height }]) => [name, width, height])"""


def test_a_thumb_finds_every_control_on_a_phone(visit: Callable[..., Any]) -> None:
    page, more = visit("#board=8x8", **PHONE), "document.getElementById('more')"
    for link in ("#board=8x8&play=1&walk=d4-e6", "#board=8x8", "#board=4x6", "#space=4x4x4&backend=cpsat"):
        act(page, ("link", link), "!watch.waits")
        for opened in (f"{more}.open = true", "document.getElementById('export').showPopover()"):
            page.evaluate(opened)
            assert page.evaluate(SMALL) == [], link
            assert page.evaluate("document.documentElement.scrollWidth") == 390
        assert page.evaluate("document.getElementById('export').getBoundingClientRect().bottom") == 844
        page.evaluate(f"{more}.open = false; document.getElementById('export').hidePopover()")
