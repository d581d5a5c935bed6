"""``cpsat-tour watch``: the page on which one sees a search at work."""

from __future__ import annotations

import webbrowser
from importlib.util import find_spec

import click

from cpsat_tour.core.errors import BadInput

NEEDED = ("starlette", "uvicorn", "websockets")


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, metavar="HOST", help="The address to listen on.")
@click.option("--port", type=click.IntRange(0, 65535), default=8064, show_default=True, help="The port to listen on; 0 for any that is free.")
@click.option("--open", "open_page", is_flag=True, help="Open the page in a browser.")
def watch(host: str, port: int, open_page: bool) -> None:
    """Show searches at work on a page in the browser, until Ctrl-C."""
    absent = [module for module in NEEDED if find_spec(module) is None]
    if absent:
        raise BadInput(f"the page needs the Python module {absent[0]}, which is not installed: pip install 'cpsat-tour[web]'")
    from cpsat_tour.web.server import bind, serve, url

    listener = bind(host, port)

    def ready() -> None:
        print(url(listener, host), flush=True)
        if open_page:
            webbrowser.open(url(listener, host))

    serve(listener, host, ready)
