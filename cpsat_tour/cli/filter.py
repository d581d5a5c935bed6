"""``cpsat-tour filter``: the graphs of a list, a line each, that have a tour or another property, or that don't."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import Any, cast

import numpy as np
from click import Argument, IntRange

from cpsat_tour.cli.messages import Exit, json_line, say, stop_words, write_at_once
from cpsat_tour.cli.options import CLUSTER, SECONDS, Namespace, ProgressLine, command, option
from cpsat_tour.core.errors import BadInput, StoppedEarly
from cpsat_tour.core.runs import MAX_THREADS, Clock, Limits, Progress
from cpsat_tour.engines.graph_stream import (
    CIRCUMFERENCE,
    CLOSED,
    HYPOHAMILTONIAN,
    K1,
    K2,
    LEFT,
    NONE,
    OPEN,
    TOUR,
    Batch,
    has_property,
    searched,
)
from cpsat_tour.engines.pool import Pool, cluster
from cpsat_tour.formats.describe import plural
from cpsat_tour.formats.files import GraphFault, readable
from cpsat_tour.formats.graph_lines import clean_lines
from cpsat_tour.tour import answer_members

CHUNK, MAX_LINE = 1 << 18, 1 << 26  # bytes that are read at a time, and of a line, at most
CLUSTER_CHUNK, AHEAD = 1 << 15, 4  # bytes that are given to a worker at a time, and how often before its answer

ASKED = {
    "closed": (CLOSED, "with a closed tour", "without"),
    "traceable": (OPEN, "with an open tour", "without"),
    "hypohamiltonian": (HYPOHAMILTONIAN, "hypohamiltonian", "not"),
    "k1": (K1, "K1-hamiltonian", "not"),
    "k2": (K2, "K2-hamiltonian", "not"),
    "circumference": (CIRCUMFERENCE, "of this circumference", "not"),
}
"""The properties that can be asked for, by option: the kernel's number, and the words for graphs with and without
it."""


@command(
    name="filter",
    groups={
        "Graphs": [
            Argument(["file"], default="-"),
            option("--skip N", "Pass over the first N lines.", type=IntRange(0), default=0),
            option("--keep-going", "Count lines that are not graphs, and go on."),
        ],
        "Asked": [
            option("--closed", "Ask for closed tours (Hamiltonian cycles)."),
            option("--traceable", "Ask for open tours (Hamiltonian paths), the default."),
            option(
                "--hypohamiltonian", "Ask for graphs without a closed tour that have one after any vertex is deleted."
            ),
            option("--k1", "Ask for graphs with a closed tour after any vertex is deleted (K1-hamiltonian)."),
            option(
                "--k2", "Ask for graphs with a closed tour after the ends of any edge are deleted (K2-hamiltonian)."
            ),
            option("--circumference N", "Ask for graphs whose longest cycle has N vertices.", type=IntRange(3)),
        ],
        "Limits": [
            option("--time-limit SECONDS", "Leave a graph unknown after this many seconds.", type=SECONDS),
            option("--threads N", "Search on N threads.", type=IntRange(1, MAX_THREADS), default=1),
        ],
        "Cluster": [CLUSTER],
        "Output": [
            option("--none", "Print the graphs without the tour or property."),
            option("--reasons", "Print the graphs without a tour, each with a tab and the reason."),
            option("--json-stream", "Print a JSON object for each graph: line, status, tour or reason."),
        ],
    },
    apart=([*ASKED], ("json_stream", "none"), ("json_stream", "reasons"), ("cluster", "threads")),
    exits={Exit.ANSWER: "All graphs are answered.", Exit.LIMIT: "A limit left a graph unknown."},
)
def filter_lines(args: Namespace) -> Exit:
    """Print the graphs in FILE that have a tour, open unless --closed, or another property. Each line is a graph in
    graph6, sparse6 or digraph6.

    Without FILE, or with -, lines are read from stdin. Those printed keep their order. The counts are printed last, on
    stderr.
    """
    if ASKED[_property_asked(args)][0] > OPEN and (args.reasons or args.json_stream):
        tells = "reasons" if args.reasons else "json-stream"
        raise BadInput(f"--{tells} works only with --closed and --traceable: leave out --{_property_asked(args)}")
    done, ready = _Filtering(args, args.skip), nullcontext() if args.cluster is None else cluster(args.cluster)
    with ProgressLine("filtering") as progress:
        try:
            with ready as pool:
                for part in _answer_file(args, pool):
                    done.take(part)
                    progress(Progress({"graphs": done.lines}))
        except (KeyboardInterrupt, StoppedEarly) as stop:
            words = stop_words(stop.limit if isinstance(stop, StoppedEarly) else "interrupt")
            say(f"{words} after {plural(done.lines, 'line')}: --skip {done.lines} goes on there.")
            return Exit.LIMIT if isinstance(stop, StoppedEarly) else Exit.INTERRUPTED
        finally:
            if done.found:
                say(done.counts())
    return Exit.LIMIT if done.found["unknown"] else Exit.ANSWER


@dataclass(frozen=True)
class _Part:
    """The answers to some consecutive lines: how many have each status, and the lines to print. For a single line also
    the members of its JSON answer and a message, if there are any."""

    found: Mapping[str, int]
    printed: str = ""
    members: Mapping[str, Any] | None = None
    said: str = ""


def _answer_file(args: Namespace, pool: Pool | None) -> Iterator[_Part]:
    """Yield the answers to the lines of the file, in order; the workers of a pool, if there is one, answer small
    chunks."""
    chunks = _read_chunks(args.file, args.skip, CHUNK if pool is None else CLUSTER_CHUNK)
    if pool is None:
        return _answer_chunks(chunks, args)
    return chain.from_iterable(pool.in_order(partial(_answer_chunk, args), chunks, AHEAD * pool.number))


def _read_chunks(path: str, skip: int, size: int) -> Iterator[bytes]:
    """Yield the file in chunks of whole lines, without the first ``skip`` lines; `BadInput` if one is longer than
    `MAX_LINE`."""
    asked = skip
    with readable(path) as file:
        text, reader = b"", cast(Any, file)
        for chunk in chain(iter(lambda: reader.read1(size), b""), [b""]):
            lines, newline, text = (text + (chunk or b"\n" * bool(text))).rpartition(b"\n")
            if len(text) > MAX_LINE:
                raise BadInput(f"a line of {path} has more than {MAX_LINE >> 20} MB, and no more are read")
            *passed, lines = (lines + newline).split(b"\n", skip)
            skip -= len(passed)
            yield lines
    if skip:
        raise BadInput(f"{path} has {plural(asked - skip, 'line')}, and --skip {asked} passes over more: skip fewer")


def _answer_chunk(args: Namespace, chunk: bytes) -> list[_Part]:
    """Return the answers to the lines of a chunk; a worker calls it."""
    return [*_answer_chunks([chunk], args)]


def _property_asked(args: Namespace) -> str:
    """Return the name of the property that is asked for."""
    return next((name for name in ASKED if getattr(args, name)), "traceable")


def _answer_chunks(chunks: Iterable[bytes], args: Namespace) -> Iterator[_Part]:
    """Yield the answers to the lines of the chunks, in order: one part for each run of lines that the kernel answered,
    one for each other line."""
    asked = ASKED[_property_asked(args)][0], args.circumference or 0
    batches = (Batch.of(clean_lines(chunk), *asked) for chunk in chunks)
    for batch in searched(batches, args.threads):
        begin, verdicts = 0, batch.verdicts
        by_itself = (verdicts == LEFT) | args.json_stream | ((verdicts == NONE) & args.reasons)
        for number in np.flatnonzero(by_itself).tolist():
            yield _part_by_kernel(batch, begin, number, args)
            yield _answer_line(batch, number, args)
            begin = number + 1
        yield _part_by_kernel(batch, begin, len(verdicts), args)


def _part_by_kernel(batch: Batch, begin: int, end: int, args: Namespace) -> _Part:
    """Return the part for the lines ``begin`` to ``end`` of a batch, all of which the kernel answered."""
    verdicts = batch.verdicts[begin:end]
    kept = verdicts == (NONE if args.none or args.reasons else TOUR)
    turns = begin + np.flatnonzero(np.diff(kept, prepend=False, append=False))  # where a run of kept lines begins, ends
    text = b"".join([batch.text[start:end] for start, end in batch.starts[turns].reshape(-1, 2).tolist()])
    tours = int((verdicts == TOUR).sum())
    return _Part({"tour": tours, "none": end - begin - tours}, text.decode("ascii"))


def _answer_line(batch: Batch, number: int, args: Namespace) -> _Part:
    """Return the answer to one line of a batch: its status, and the line, JSON, reason or message to print."""
    if not (line := batch.line(number)):
        return _Part({"empty": 1})
    try:
        graph, limits = line.decode("ascii", "replace"), Limits(args.time_limit)
        if batch.asked > OPEN:
            holds = has_property(batch.graph(number), batch.asked, batch.length, limits)
            return _Part({"tour" if holds else "none": 1}, (graph + "\n") * (holds != args.none))
        answer = batch.answer(number, limits)
    except GraphFault as fault:
        return _Part({"wrong": 1}, said=str(fault))
    except StoppedEarly as stop:
        return _Part({"unknown": 1}, said=f"is unknown: {stop_words(stop.limit)}")
    found: dict[str, int] = {answer.status: 1}
    if args.json_stream:
        return _Part(found, members={"graph": graph} | answer_members(answer))
    if answer.status == ("none" if args.none or args.reasons else "tour"):
        return _Part(found, graph + f"\t{answer.refutation}" * args.reasons + "\n")
    return _Part(found, said=f"is unknown: {stop_words(answer.stopped_by)}" * answer.unknown)


@dataclass
class _Filtering:
    """The state of the command: the number of lines so far, with those skipped, and how many graphs have each
    status."""

    args: Namespace
    lines: int
    found: Counter[str] = field(default_factory=Counter)
    clock: Clock = field(default_factory=lambda: Clock(None))

    def take(self, part: _Part) -> None:
        """Print a part and count its lines. `BadInput` names a line that is not a graph."""
        args, where = self.args, f"line {self.lines + 1}"
        if part.members is not None:
            json_line({"line": self.lines + 1, **part.members})
        elif "wrong" not in part.found:
            write_at_once(part.printed)
            if part.said:
                say(f"{where} {part.said}")
        elif not args.keep_going:
            raise BadInput(f"{'standard input' if args.file == '-' else args.file}, {where}: {part.said}")
        self.lines += sum(part.found.values())
        self.found.update(part.found)

    def counts(self) -> str:
        """Return in words how many graphs were read, how many have each status, and the rate."""
        tours, none, unknown, wrong = map(self.found.__getitem__, ("tour", "none", "unknown", "wrong"))
        read, (_, true, false) = tours + none + unknown, ASKED[_property_asked(self.args)]
        words = f"{read:,} read: {tours:,} {true}, {none:,} {false}, {unknown:,} unknown"
        return f"{words}{f'; {wrong:,} not graphs' * bool(wrong)}; {read / max(self.clock.seconds, 1e-3):,.0f} a second"
