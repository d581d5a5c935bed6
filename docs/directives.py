"""What these pages have of their own: the help of a command and the sizes of formulations, as the program gives them;
formulas as MathML.

Formulas are written into the pages by docutils, so that they are shown without any script from elsewhere.
"""

from __future__ import annotations

import click
from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.writers.html5 import HTML5Translator

from cpsat_tour.backends import registry, runner
from cpsat_tour.cli.main import cli
from cpsat_tour.core.problem import Problem
from cpsat_tour.formats.spaces import graph_of

SIZED = ("6x6", "8x8", "20x20", "50x50")


class CommandHelp(SphinxDirective):
    """``{command-help} compare run``: what ``cpsat-tour compare run --help`` prints."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        context, command = click.Context(cli, info_name="cpsat-tour"), cli
        for name in self.arguments[0].split():
            command = command.get_command(context, name)
            context = click.Context(command, info_name=name, parent=context, max_content_width=90, terminal_width=90)
        text = command.get_help(context)
        return [nodes.literal_block(text, text, language="text")]


class FormulaSizes(SphinxDirective):
    """``{formula-sizes} sat:crt``: a table of its sizes for closed tours, counted as ``cpsat-tour backends`` counts
    them."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        engine = registry.load(name := self.arguments[0])
        rows = [["closed board", "variables", "clauses or constraints", "literals"]]
        for board in SIZED:
            sizes = runner.sizes(Problem(graph_of(board), closed=True), engine, name)
            rows.append([board, *(f"{number:,}" for number in (sizes.variables, sizes.clauses, sizes.literals))])
        return [_table(rows)]


def _table(rows: list[list[str]]) -> nodes.table:
    group = nodes.tgroup("", *(nodes.colspec(colwidth=1) for _ in rows[0]), cols=len(rows[0]))
    table = nodes.table("", group, classes=["formula-sizes"])
    made = [nodes.row("", *(nodes.entry("", nodes.paragraph(text=cell)) for cell in row)) for row in rows]
    group += [nodes.thead("", made[0]), nodes.tbody("", *made[1:])]
    return table


def _formula(translator: HTML5Translator, node: nodes.math) -> None:
    translator.body.append(tex2mathml(node.astext()))
    raise nodes.SkipNode


def _formula_block(translator: HTML5Translator, node: nodes.math_block) -> None:
    translator.body.append(f'<div class="formula">{tex2mathml(node.astext(), as_block=True)}</div>')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """What Sphinx asks of an extension."""
    app.add_directive("command-help", CommandHelp)
    app.add_directive("formula-sizes", FormulaSizes)
    app.add_html_math_renderer("mathml", (_formula, None), (_formula_block, None))
    return {"parallel_read_safe": True}
