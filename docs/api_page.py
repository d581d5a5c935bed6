"""The reference of the Python interface: pages whose entries are written from signatures and docstrings.

An entry of a page in ``docs/reference`` stands between ``<!--NAME MEMBERS-->`` and ``<!--end-->``. After a change
of a signature or a docstring, ``python docs/api_page.py`` writes the entries anew; a test compares them. The keywords
that most functions share are listed once, and ``...`` stands for them.
"""

from __future__ import annotations

import inspect
import re
import textwrap
from pathlib import Path
from typing import Any

import cpsat_tour

PAGES = sorted((Path(__file__).resolve().parent / "reference").glob("*.md"))

ENTRY = re.compile(r"(<!--(?!keywords)(\w+)((?: \w+)*)-->\n).*?(<!--end-->)", re.DOTALL)

PARAMETER = re.compile(r"^- ``(\w+)`` \(((?:[^()]|\([^()]*\))+)\): (.+(?:\n  .*)*)\n?", re.MULTILINE)
"""The lines of a parameter in a docstring: its name, its type and its default, and what it is."""

SHARED_LINE = "- The other keywords are those of `solve`."
"""What the docstrings of other verbs say of the keywords that they share with it."""

SAID_ONCE = re.compile(r"(as in `\w+`|anything else that `solve` takes)\.$")
"""How a docstring ends on a parameter that needs no word of its own on a page."""


def parameters(thing: object) -> dict[str, tuple[str, str]]:
    """Return the parameters that a docstring lists: for each its type with its default, and what it is."""
    return {line[1]: (line[2], line[3]) for line in PARAMETER.finditer(inspect.getdoc(thing) or "")}


SHARED = {
    name: said
    for name, said in parameters(cpsat_tour.solve).items()
    if name
    in {*inspect.signature(cpsat_tour.problem_of).parameters, "seed", "seconds", "threads", "cancel", "progress"}
    if name != "where"
}
"""The keywords that most verbs share."""


def signature(name: str, thing: Any, *, shared: bool) -> str:
    """Return a signature with its defaults, and ``...`` in place of the keywords that are listed once."""
    stated = inspect.signature(thing)
    own = [
        parameter.replace(annotation=parameter.empty)
        for parameter in stated.parameters.values()
        if parameter.name != "self"
        and not (shared and parameter.name in SHARED and parameter.name not in parameters(thing))
    ]
    text = name + str(stated.replace(parameters=own, return_annotation=stated.empty))
    return f"{text[:-1]}{', ' * bool(own)}...)" if shared else text


def markdown(doc: str, links: dict[str, str]) -> str:
    """Return a docstring as Markdown, with links to the entries that it names."""

    def linked(name: re.Match[str]) -> str:
        return f"[`{name[1]}`]({links[name[1]]})" if name[1] in links else name[0]

    return re.sub(r"(?<!`)`(\w+)`(?!`)", linked, doc).replace("``", "`")


def listed(name: str, kind: str, what: str) -> str:
    """Return the line of a parameter, whose default stands in the signature."""
    return f"- ``{name}`` ({re.split(r'[,;] (?:default|needed|or None)', kind)[0]}): {what}\n"


def entry(name: str, members: list[str], links: dict[str, str]) -> str:
    """Return the entry of a public name: its signature, its docstring, and those of its members."""
    thing, doc = getattr(cpsat_tour, name), inspect.getdoc(getattr(cpsat_tour, name)) or ""
    shared = name == "solve" or SHARED_LINE in doc

    def line(found: re.Match[str]) -> str:
        once = (name == "solve" and found[1] in SHARED) or SAID_ONCE.search(found[3])
        return "" if once else listed(found[1], found[2], found[3])

    lines = [f"## `{name}`", ""]
    if not isinstance(thing, type) or "needed)" in doc:
        lines += ["```text", *textwrap.wrap(signature(name, thing, shared=shared), 116), "```", ""]
    lines.append(markdown(PARAMETER.sub(line, doc).replace(SHARED_LINE, ""), links).rstrip())
    for member in members:
        attribute = getattr(thing, member)
        title = signature(member, attribute, shared=False) if callable(attribute) else member
        said = markdown(PARAMETER.sub("", inspect.getdoc(attribute) or ""), links).rstrip()
        lines.append(f"- `{title}`: {textwrap.indent(said, '  ')[2:]}")
    return "\n".join([*lines, "", ""])


def links_of() -> dict[str, str]:
    """Return the link to each entry from another page."""
    entries = ((page.name, name) for page in PAGES for _, name, _, _ in ENTRY.findall(page.read_text(encoding="utf-8")))
    return {name: f"{page}#{name.lower()}" for page, name in entries}


def written(text: str, name: str) -> str:
    """Return the text of the page of this name with all its entries as they are to be."""
    links = {entry: link.removeprefix(name) for entry, link in links_of().items()}
    keywords = "".join(markdown(listed(each, *SHARED[each]), links) for each in SHARED)
    text = re.sub(r"(<!--keywords-->\n).*?(<!--/keywords)", rf"\1\n{keywords}\n\2", text, flags=re.DOTALL)
    return ENTRY.sub(lambda old: f"{old[1]}\n{entry(old[2], old[3].split(), links)}{old[4]}", text)


if __name__ == "__main__":
    for page in PAGES:
        page.write_text(written(page.read_text(encoding="utf-8"), page.name), encoding="utf-8")
