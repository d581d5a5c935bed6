"""``cpsat-tour backends`` and ``formats``: lists the backends, describes one, or gives the size of its formula; lists
the forms of graph files."""

from __future__ import annotations

import inspect
import json
import sys
from dataclasses import asdict
from typing import Any

from click import Argument

from cpsat_tour.cli.messages import BACKEND_FAILED, Exit, print_out
from cpsat_tour.cli.options import JSON, Namespace, command, complete_backend, option
from cpsat_tour.core.errors import DISTRIBUTIONS
from cpsat_tour.core.problem import Problem
from cpsat_tour.engines import registry
from cpsat_tour.engines.registry import FEATURES, unsupported_features
from cpsat_tour.formats.describe import plural
from cpsat_tour.formats.typed import graph_of


@command(
    groups={
        "Backend": [
            Argument(["name"], required=False, shell_complete=complete_backend),
            Argument(["board"], required=False),
            option("--input FORM", "Read the graph file as FORM; see cpsat-tour formats.", to="form"),
            option("--closed", "Show the size of the formula for closed tours, not open ones."),
        ],
        "Output": [JSON],
    },
    exits={Exit.ANSWER: "The answer is printed.", Exit.FAULT: BACKEND_FAILED},
)
def backends(args: Namespace) -> None:
    """List the backends, what each does, and whether its packages are installed.

    With NAME, describe one backend: its method, where it was published, what it takes, its limits and its options. With
    BOARD too, show the size of its formula for this board.
    """
    if args.name is None:
        data, words = _describe_all()
    elif args.board is None:
        data = _describe(args.name)
        words = _describe_in_words(data)
    else:
        from cpsat_tour.engines import runner  # the lists start sooner without it

        problem, (name, *pairs) = Problem(graph_of(args.board, form=args.form), args.closed), args.name.split() or [""]
        backend = registry.load(name, registry.parse_options(pairs), solving=False)
        sizes = asdict(runner.sizes(problem, backend, name))
        data = {"name": args.name, "board": args.board, "closed": args.closed} | sizes
        counted = ", ".join(
            map(
                plural,
                sizes.values(),
                ("variable", "clause" if hasattr(backend, "solvers") else "constraint", "literal"),
            )
        )
        words = f"{args.name} on {args.board}, {'closed' if args.closed else 'open'} tours: {counted}"
    print_out(json.dumps(data) if args.as_json else words)


def _describe_all() -> tuple[dict[str, Any], str]:
    """Return a list of all backends, with the modules that each lacks, as data for JSON and as text."""
    data, width, lines = {}, max(map(len, registry.names())), []
    for name in registry.names():
        missing, summary = registry.missing_modules(name), registry.entry(name).summary
        data[name] = {"summary": summary, "missing": missing}
        install = " ".join(DISTRIBUTIONS.get(module, module) for module in missing)
        needs = f"needs {', '.join(missing)}: pip install {install}"
        lines.append(f"{name:<{width}}  {summary} ({needs if missing else 'ready'})")
    return data, "\n".join(lines)


def _describe(name: str) -> dict[str, Any]:
    """Return the description of a backend, from the docstring of its module, as data for JSON."""
    kind = type(registry.load(name, solving=False))
    plans = {graphs: [share.part for share in plan.shares] for graphs, plan in getattr(kind, "plans", {}).items()}
    return {
        "name": name,
        "summary": registry.entry(name).summary,
        "method": inspect.cleandoc(sys.modules[kind.__module__].__doc__ or kind.__doc__ or ""),
        "gives": ["one tour", *["all tours"] * ("every" in kind.takes), *["a formula"] * hasattr(kind, "formula")],
        "graphs": registry.restriction_of(name) or "undirected graphs",
        "takes": [
            words
            for feature, words in FEATURES.items()
            if feature != "every" and not unsupported_features(kind, frozenset({feature}))
        ],
        "options": {
            option.name: {"values": option.values, "default": option.default} for option in registry.options_of(kind)
        },
    } | ({"parts": plans} if plans else {})


def _describe_in_words(data: dict[str, Any]) -> str:
    """Return the description of a backend, given as its JSON data, as text."""
    lines = [
        f"{data['name']}: {data['summary']}",
        "",
        *[data["method"], ""] * bool(data["method"]),
        f"gives: {', '.join(data['gives'])}",
    ]
    lines.append(f"takes: {', '.join([data['graphs'], *data['takes']])}")
    lines.append("options, given with -O NAME=VALUE:" if data["options"] else "options: none")
    lines += [
        f"  {name}={' | '.join(known['values']) or 'text'}  [default: {known['default']}]"
        for name, known in data["options"].items()
    ]
    if plans := data.get("parts"):
        lines.append("parts, by the kind of graph:")
        lines += [f"  {kind:<{max(map(len, plans))}}  {', '.join(parts)}" for kind, parts in plans.items()]
    return "\n".join(lines)


@command(groups={"Output": [JSON]}, exits={Exit.ANSWER: "The forms are printed."})
def formats(args: Namespace) -> None:
    """List the forms of graph files, each with its suffixes and an example.

    --input FORM reads a file in that form; FORM:directed takes its edges for arcs, FORM:undirected for edges.
    """
    from cpsat_tour.formats.graph_files import FORMS  # backends starts sooner without all readers

    if args.as_json:
        forms = {form.name: {"words": form.words, "suffixes": form.suffixes, "example": form.example} for form in FORMS}
        print_out(json.dumps(forms))
        return
    for form in FORMS:
        print_out(f"{form.name}: {form.words} {' '.join(form.suffixes)}".rstrip())
        print_out("".join(f"    {line}\n" for line in form.example.split("\n")))
