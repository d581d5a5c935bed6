"""``cpsat-tour watch``: the page that shows a search at work."""

from __future__ import annotations

import webbrowser

import click

from cpsat_tour.cli.messages import say
from cpsat_tour.cli.options import Command
from cpsat_tour.core.libraries import require


@click.command(cls=Command)
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    metavar="HOST",
    help="The address to listen on; 0.0.0.0 for all of them.",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8064,
    show_default=True,
    help="The port to listen on; 0 for any that is free.",
)
@click.option("--open", "open_page", is_flag=True, help="Open the page in a browser.")
def watch(host: str, port: int, open_page: bool) -> None:
    """Show searches at work on a page in the browser, until Ctrl-C."""
    require("the page", "starlette", "uvicorn", "websockets")
    from cpsat_tour.web.server import bind, is_local, serve, url  # the server's libraries are an extra

    listener = bind(host, port)
    address = url(listener, host)
    if not is_local(host):
        say(f"listening on {host}: whoever can reach {address} can have this machine search")

    print(address, flush=True)
    if open_page:
        webbrowser.open(address)
    serve(listener, host)
