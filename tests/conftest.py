"""What holds for all tests."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import settings
from watching import BROWSER_ARGUMENTS, CHROMIUM, until, watching

# A shell that runs its jobs in the background has them ignore Ctrl-C, and the programs that the tests start would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)

# An example may take its time on a machine with other work.
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")


# --- the page: all tests in a browser share one, and one server ---


@pytest.fixture(scope="session")
def page_server() -> Iterator[tuple[subprocess.Popen[str], str]]:
    with watching() as (run, url):
        yield run, url


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api", reason="the browser tests need Playwright: pip install playwright")
    home = tmp_path_factory.mktemp("browser")
    with playwright.sync_playwright() as driver:
        arguments = [*BROWSER_ARGUMENTS, f"--disk-cache-dir={home}"]
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=arguments)
        yield browser
        browser.close()


@pytest.fixture
def visit(browser: Any, page_server: tuple[subprocess.Popen[str], str]) -> Iterator[Callable[..., Any]]:
    """Opens the page at a setting; at the end no script may have failed and no policy been violated."""
    contexts, faults = [], []

    def opener(setting: str = "", url: str = "", **options: Any) -> Any:
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 860}, **options})
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda fault: faults.append(str(fault)))
        page.on("console", lambda message: faults.append(message.text) if "Content Security Policy" in message.text else None)
        page.goto((url or page_server[1]) + (setting or "#board=8x8"))
        until(page, "Boolean(globalThis.watch)")
        return page

    yield opener
    for context in contexts:
        context.close()
    assert not faults
