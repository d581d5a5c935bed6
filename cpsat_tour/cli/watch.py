"""``cpsat-tour watch``: serves the page that shows searches at work."""

from __future__ import annotations

import webbrowser

from click import IntRange

from cpsat_tour.cli.messages import Exit, say, write_at_once
from cpsat_tour.cli.options import Namespace, command, option
from cpsat_tour.core.errors import require


@command(
    groups={
        "Server": [
            option("--port N", "Listen on port N; 0 picks a free one.", type=IntRange(0, 65535), default=8064),
            option("--host HOST", "Listen on this address; 0.0.0.0 means all.", default="127.0.0.1"),
            option("--open", "Open the page in a browser.", to="open_page"),
        ]
    },
    exits={},
)
def watch(args: Namespace) -> Exit:
    """Show searches at work on a page in the browser, until Ctrl-C."""
    require("the page", "starlette", "uvicorn", "websockets")
    from cpsat_tour.web.server import bind, is_local, serve, url  # the server's libraries are an extra

    listener = bind(args.host, args.port)
    address = url(listener, args.host)
    if not is_local(args.host):
        say(f"Listening on {args.host}: everyone who can reach {address} can have this machine search.")
    write_at_once(f"{address}\n")
    if args.open_page:
        webbrowser.open(address)
    serve(listener, args.host)
    return Exit.ANSWER
