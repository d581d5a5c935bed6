"""What shells complete: names of backends, and their options with the values that these take.

Bash, Zsh and Fish ask the program itself, once ``eval "$(_CPSAT_TOUR_COMPLETE=bash_source cpsat-tour)"`` (or
``zsh_source``, ``fish_source``) stands in the shell's own settings.
"""

from __future__ import annotations

import click
from click.shell_completion import CompletionItem

from cpsat_tour.backends import registry


def complete_backend(_context: click.Context, _parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    """The backends whose names begin so, those whose modules are not installed left out."""
    ready = [name for name in registry.names() if not registry.missing(name)]
    return [CompletionItem(name, help=registry.row(name).summary) for name in ready if name.startswith(begun)]


def complete_option(context: click.Context, _parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    """The options of the backend that the line names, as ``KEY=VALUE``; without one, those of the backend that is asked
    then."""
    named = context.params.get("backend") or {"solve": "auto", "tours": "dfs"}.get(context.info_name or "", "")
    name = (named if isinstance(named, str) else named[0]).partition("@")[0]
    if name not in registry.names() or registry.missing(name):
        return []
    options = registry.options_of(registry.load_class(registry.row(name).target))
    pairs = [
        f"{option.name}={value}"
        for option in options
        for value in option.values or (option.default,)
        if " " not in value
    ]
    return [CompletionItem(pair) for pair in pairs if pair.startswith(begun)]
