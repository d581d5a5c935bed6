"""What holds for all tests."""

import gc
import signal
import subprocess
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from commands import Command, Printed
from guarded import call_in_guards
from hypothesis import settings
from watching import BROWSER_ARGUMENTS, CHROMIUM, until, watching

from cpsat_tour.cli import main, options
from cpsat_tour.core import kernels
from cpsat_tour.core.errors import BackendFault

# An example may take its time on a machine with other work.
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")


SLOW_SECONDS = 10_800
"""The limit of a slow test; that of the others is in pyproject.toml."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let slow tests take longer than others before they count as hung. Garbage collections pass from now on over what
    stays to the end: many libraries, and thousands of tests."""
    for item in items:
        if item.get_closest_marker("slow"):
            item.add_marker(pytest.mark.timeout(SLOW_SECONDS))
    gc.freeze()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    """Have Ctrl-C interrupt, here and in the programs that a test starts.

    A shell that runs its jobs in the background has them ignore it, and CP-SAT, called directly, makes it end the
    process from then on.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def reading_takes_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """For limits so short that a busy machine may spend them on reading the problem."""
    monkeypatch.setattr(options, "run_detached", lambda task, _heartbeat: task())
    monkeypatch.setattr(options, "replace", lambda limits, **_: limits)


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Command:
    def run(line: str, status: int = 0) -> Printed:
        assert main.status(line.split()) == status, (line, *capsys.readouterr())
        return Printed(*capsys.readouterr())

    return run


@pytest.fixture
def kernels_in_guards(monkeypatch: pytest.MonkeyPatch) -> None:
    """For tests in which no kernel may write beyond its arrays."""
    monkeypatch.setattr(kernels, "call_kernel", call_in_guards)


# --- the page: all tests in a browser share one, and one server ---

DESKTOP: dict[str, Any] = {"viewport": {"width": 1280, "height": 860}}


@pytest.fixture(scope="session")
def page_server() -> Iterator[tuple[subprocess.Popen[str], str]]:
    with watching(patient=True) as (run, url):
        yield run, url


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="the browser tests need Playwright: pip install playwright"
    )
    home = tmp_path_factory.mktemp("browser")
    with playwright.sync_playwright() as driver:
        arguments = [*BROWSER_ARGUMENTS, f"--disk-cache-dir={home}"]
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=arguments)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def faults() -> list[str]:
    """What scripts have failed at, and what of the page's policy was violated, in the test under way."""
    return []


@pytest.fixture(scope="session")
def new_page(browser: Any, faults: list[str]) -> Callable[..., Any]:
    """Opens an empty page in a window of its own, for a desktop unless options say otherwise."""

    def opener(**options: Any) -> Any:
        page = browser.new_context(**DESKTOP | options).new_page()
        page.on("pageerror", lambda fault: faults.append(str(fault)))
        page.on(
            "console",
            lambda message: faults.append(message.text) if "Content Security Policy" in message.text else None,
        )
        return page

    return opener


@pytest.fixture(scope="session")
def shared_page(new_page: Callable[..., Any], page_server: tuple[subprocess.Popen[str], str]) -> Any:
    """The page of a desktop, which tests hand on to each other: to load it again takes half the work of a new one."""
    page = new_page()
    page.goto(page_server[1] + "#board=8x8")
    return page


@pytest.fixture
def visit(
    request: pytest.FixtureRequest,
    new_page: Callable[..., Any],
    faults: list[str],
    page_server: tuple[subprocess.Popen[str], str],
) -> Iterator[Callable[..., Any]]:
    """Opens the page at a setting; at the end no script may have failed and no policy been violated."""
    faults.clear()
    shared: list[Any] = []
    own: list[Any] = []

    def opener(setting: str = "#board=8x8", url: str = "", **options: Any) -> Any:
        if shared or url or options:
            page = new_page(**options)
            own.append(page)
            page.goto((url or page_server[1]) + setting)
        else:
            page = request.getfixturevalue("shared_page")
            shared.append(page)
            page.set_viewport_size(DESKTOP["viewport"])
            page.emulate_media(media="null", color_scheme="light")
            page.evaluate("(setting) => { localStorage.clear(); history.replaceState(null, '', setting); }", setting)
            page.reload()
        until(page, "Boolean(globalThis.watch && (!watch.waits || watch.said))")
        return page

    yield opener
    for page in own:
        page.context.close()
    for page in shared:
        page.evaluate("watch.link.close(); watch.goTo(watch.at)")
    assert not faults


# --- the first mistake of a class, in words: `pytest tests/contract/test_contract.py --backend py:my_module:MyClass` -


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("backend"):
        config.option.maxfail, config.option.reportchars, config.option.color = 1, "N", "no"
        config.option.timeout, config.option.timeout_method = config.option.timeout or 60, "signal"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, Any]:
    report = yield
    if call.excinfo is not None and not report.skipped and (own := item.config.getoption("backend")):
        module, fault = own.split(":")[1], call.excinfo.value
        frames = [frame for frame in call.excinfo.traceback if frame.frame.f_globals["__name__"] == module]
        where = "".join(f"{Path(frame.path).name}, line {frame.lineno + 1}: " for frame in frames[-1:])
        kind = "" if isinstance(fault, (AssertionError, BackendFault)) else f"{type(fault).__name__}: "
        report.longrepr = f"{where}{kind}{fault}".partition("\nassert ")[0]
    return report


# --- golden files: what a test prints, kept beside it and written anew by `pytest --update` ---


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update", action="store_true", help="write the golden files anew")
    parser.addoption("--backend", help="a backend to hold to the contract, alone: py:my_module:MyClass")


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str], None]:
    """Compares a text with what the golden file of the test's module says under the name of the test."""
    module, name = request.path, request.node.name
    path = module.parent / "golden" / f"{module.stem.removeprefix('test_')}.txt"

    def compare(text: str) -> None:
        parts = path.read_text().split("\n=== ") if path.exists() else [""]
        said = dict(part.split("\n", 1) for part in parts[1:])
        if request.config.getoption("--update"):
            path.parent.mkdir(exist_ok=True)
            said[name] = text.rstrip("\n")
            path.write_text("".join(f"\n=== {title}\n{said[title]}" for title in sorted(said)).rstrip("\n") + "\n")
        assert text.rstrip("\n") == said.get(name, "").rstrip("\n"), f"{path}: read it, or write it anew with --update"

    return compare
