"""The reference of the Python interface: a page whose entries are written from signatures and docstrings.

An entry of ``docs/reference/api.md`` stands between ``<!-- NAME: MEMBERS -->`` and ``<!-- end -->``. After a change of
a signature or a docstring, ``python docs/api_page.py`` writes the entries anew; a test compares them. The
keywords that most functions share are listed once.
"""

from __future__ import annotations

import inspect
import re
import textwrap
from pathlib import Path
from typing import Any

import cpsat_tour

PAGE = Path(__file__).resolve().parent / "reference" / "api.md"

ENTRY = re.compile(r"(<!-- (\w+):(.*?) -->\n).*?(<!-- end -->)", re.DOTALL)

PARAMETER = re.compile(r"^- ``(\w+)`` \(((?:[^()]|\([^()]*\))+)\): .+(?:\n  .*)*\n?", re.MULTILINE)
"""The lines of a parameter in a docstring: its name, its type and its default, and what it is."""


def parameters(thing: object) -> dict[str, tuple[str, str]]:
    """Return the parameters that a docstring lists: for each its type with its default, and its lines."""
    return {line[1]: (line[2], line[0].rstrip()) for line in PARAMETER.finditer(inspect.getdoc(thing) or "")}


SHARED = {
    name: lines
    for name, (_, lines) in parameters(cpsat_tour.solve).items()
    if name in inspect.signature(cpsat_tour.problem_of).parameters or name in ("seed", "seconds", "threads")
    if name != "where"
}
"""The keywords that most verbs share, each with its lines in the docstring of `solve`."""

SHARED_LINE = "- The other keywords are those of `solve`."
"""What the docstrings of other verbs say of them."""


def signature(name: str, thing: Any) -> str:
    """Return a signature as people write it, some parameters a line if it is long."""
    text = re.sub(r"""(?<=: |> )(['"])(.+?)\1(?=[,)= ]|$)""", r"\2", f"{name}{inspect.signature(thing)}")
    text = text.replace("(self, ", "(").replace("(self)", "()")
    text = text.removesuffix(" -> None") if isinstance(thing, type) else text
    text = re.sub(r"\[[^=]*?\](?=[ ,)]|$)", lambda inner: inner[0].replace(" ", "\0"), text)
    text = re.sub(r"(?<!,) ", "\0", text)
    lines = textwrap.wrap(text, 100, subsequent_indent="    ", break_on_hyphens=False, break_long_words=False)
    return "\n".join(lines).replace("\0", " ")


def markdown(doc: str, links: dict[str, str]) -> str:
    """Return a docstring as Markdown, with links to the entries that it names."""

    def linked(name: re.Match[str]) -> str:
        return f"[`{name[1]}`]({links[name[1]]})" if name[1] in links else name[0]

    return re.sub(r"(?<!`)`(\w+)`(?!`)", linked, doc).replace("``", "`")


def entry(name: str, members: list[str], links: dict[str, str]) -> str:
    """Return the entry of a public name: its signature, its docstring, and those of its members."""
    thing = getattr(cpsat_tour, name)
    doc, listed = inspect.getdoc(thing) or "", parameters(thing)
    shared = name == "solve" or SHARED_LINE in doc
    for lines in [*(SHARED.values() if name == "solve" else ()), *([SHARED_LINE] if shared else ())]:
        doc = doc.replace(f"\n{lines}", "")
    lines = [f"### `{name}`", ""]
    if not isinstance(thing, type) or any("needed" in kind for kind, _ in listed.values()):
        lines += ["```py", signature(name, thing), "```", ""]
    lines.append(markdown(doc, links))
    if shared:
        lines.append("- The other keywords are [the same everywhere](#keywords).")
    lines += ["", "Attributes and methods:"] if members else []
    for member in members:
        attribute = getattr(thing, member)
        doc = markdown(inspect.getdoc(attribute) or "", links)
        called = signature(member, attribute).replace("\n   ", "") if callable(attribute) else member
        lines += ["", f"- `{called}`: {textwrap.indent(doc, '  ')[2:]}"]
    return "\n".join([*lines, "", ""])


def written(page: str) -> str:
    """Return the page with all its entries as they are to be; of two anchors alike the second has a number."""
    keywords = "\n".join(markdown(lines, {}) for lines in SHARED.values())
    page = re.sub(
        r"(<!-- keywords -->\n).*?(<!-- end of keywords -->)", rf"\1\n{keywords}\n\n\2", page, flags=re.DOTALL
    )
    names = [name for _, name, _, _ in ENTRY.findall(page)]
    before = (sum(other.lower() == name.lower() for other in names[:at]) for at, name in enumerate(names))
    links = {name: f"#{name.lower()}" + f"-{same}" * bool(same) for name, same in zip(names, before, strict=True)}
    return ENTRY.sub(lambda old: f"{old[1]}\n{entry(old[2], old[3].split(), links)}{old[4]}", page)


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
