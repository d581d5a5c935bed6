"""``cpsat-tour formats``: the forms of graph files, with an example each."""

from __future__ import annotations

import json

from cpsat_tour.cli.messages import Exit, print_out
from cpsat_tour.cli.options import JSON, Namespace, command
from cpsat_tour.formats.graph_files import FORMS


@command(groups={"Output": [JSON]}, exits={Exit.ANSWER: "The forms are printed."})
def formats(args: Namespace) -> Exit:
    """List the forms of graph files, each with its suffixes and an example.

    --input FORM reads a file in that form; FORM:directed takes its edges for arcs, FORM:undirected for edges.
    """
    if args.as_json:
        forms = {form.name: {"words": form.words, "suffixes": form.suffixes, "example": form.example} for form in FORMS}
        print_out(json.dumps(forms))
        return Exit.ANSWER
    for form in FORMS:
        print_out(f"{form.name}: {form.words} {' '.join(form.suffixes)}".rstrip())
        print_out("".join(f"    {line}\n" for line in form.example.split("\n")))
    return Exit.ANSWER
