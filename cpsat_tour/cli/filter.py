"""``cpsat-tour filter``: the graphs of a list, a line each, that have a tour, or that have none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, cast

import numpy as np
from click import Argument, IntRange

from cpsat_tour.backends.graph_stream import Batch, searched
from cpsat_tour.cli.display import ProgressLine
from cpsat_tour.cli.messages import Exit, json_line, say, stop_words, write_at_once
from cpsat_tour.cli.options import SECONDS, Namespace, command, option
from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.limits import MAX_THREADS, Clock, Limits
from cpsat_tour.formats.describe import plural
from cpsat_tour.formats.files import GraphFault, readable
from cpsat_tour.formats.graph_lines import clean_lines
from cpsat_tour.interface.answer import Answer, answer_members
from cpsat_tour.native.batch_kernel import LEFT, NONE, TOUR

CHUNK, MAX_LINE = 1 << 18, 1 << 26  # bytes that are read at a time, and of a line, at most


@command(
    name="filter",
    groups={
        "Graphs": [
            Argument(["file"], default="-"),
            option("--closed", "Ask for closed tours, which are Hamiltonian cycles, not open ones."),
            option("--skip N", "Pass over the first N lines.", type=IntRange(0), default=0),
            option("--keep-going", "Count lines that are not graphs, and go on."),
        ],
        "Limits": [
            option("--time-limit SECONDS", "Leave a graph unknown after this many seconds.", type=SECONDS),
            option("--threads N", "Search on N threads.", type=IntRange(1, MAX_THREADS), default=1),
        ],
        "Output": [
            option("--none", "Print the graphs that have no tour."),
            option("--reasons", "Print the graphs that have no tour, each with a tab and the reason."),
            option("--json-stream", "Print a JSON object for each graph: line, status, tour or reason."),
            option("--progress", "Print counts and the rate on stderr each second."),
        ],
    },
    exits={Exit.ANSWER: "All graphs are answered.", Exit.LIMIT: "A limit left a graph unknown."},
)
def filter_lines(args: Namespace) -> Exit:
    """Print the graphs in FILE that have a tour, open unless --closed: lines of graph6, sparse6 or digraph6, a graph
    each.

    Without FILE, or with -, lines are read from stdin. Those printed keep their order. The counts are printed last, on
    stderr.
    """
    if args.json_stream and (args.none or args.reasons):
        raise BadInput("--json-stream prints every graph: leave out --none and --reasons")
    done = _Filtering(args, args.skip)
    limits = Limits(args.time_limit, threads=args.threads)
    with ProgressLine("filtering") as progress:
        try:
            for batch in searched(_batches(args.file, args.skip, closed=args.closed), limits, progress):
                done.take(batch)
        except KeyboardInterrupt:
            say(f"Interrupted after {plural(done.lines, 'line')}: --skip {done.lines} goes on there.")
            return Exit.INTERRUPTED
        finally:
            if done.found:
                say(done.counts())
    return Exit.LIMIT if done.found["unknown"] else Exit.ANSWER


def _batches(path: str, skip: int, *, closed: bool) -> Iterator[Batch]:
    """Yield the lines of a file but the first ``skip``, as they come; `BadInput` if one is longer than `MAX_LINE`."""
    with readable(path) as file:
        text, reader = b"", cast(Any, file)
        for chunk in chain(iter(lambda: reader.read1(CHUNK), b""), [b"\n"]):
            lines, newline, text = (text + chunk).rpartition(b"\n")
            if len(text) > MAX_LINE:
                raise BadInput(f"a line of {path} has more than {MAX_LINE >> 20} MB, and no more are read")
            *passed, lines = (lines + newline).split(b"\n", skip)
            skip -= len(passed)
            yield Batch.of(clean_lines(lines), closed=closed)


@dataclass
class _Filtering:
    """What is done: the number of lines, with those passed over, and how many graphs have which status."""

    args: Namespace
    lines: int
    found: Counter[str] = field(default_factory=Counter)
    clock: Clock = field(default_factory=lambda: Clock(None))
    told: float = 0.0

    def take(self, batch: Batch) -> None:
        """Print what is asked for of the lines of a batch, in their order; `BadInput` names a line that is not a
        graph."""
        begin, args, verdicts = 0, self.args, batch.verdicts
        by_itself = (verdicts == LEFT) | args.json_stream | ((verdicts == NONE) & args.reasons)
        for end in [*np.flatnonzero(by_itself).tolist(), len(verdicts)]:
            self._take_answered(batch, begin, end)
            if end < len(verdicts):
                self._take_line(batch, end)
            begin = end + 1

    def _take_answered(self, batch: Batch, begin: int, end: int) -> None:
        """Print the graphs that are asked for among lines that the kernel answered."""
        verdicts, starts = batch.verdicts[begin:end], batch.starts[begin : end + 1]
        kept = np.repeat(verdicts == (NONE if self.args.none or self.args.reasons else TOUR), np.diff(starts))
        text = np.frombuffer(batch.text, dtype=np.uint8)[starts[0] : starts[-1]][kept]
        write_at_once(text.tobytes().decode("ascii"))
        tours = int((verdicts == TOUR).sum())
        self._count(end - begin, tour=tours, none=end - begin - tours)

    def _take_line(self, batch: Batch, number: int) -> None:
        """Print the graph in a line if it is asked for; an empty line is passed over."""
        line, args, where = batch.line(number), self.args, f"line {self.lines + 1}"
        try:
            answer = batch.answer(number, Limits(args.time_limit)) if line else Answer.stopped("")
        except GraphFault as fault:
            if not args.keep_going:
                raise BadInput(f"{'standard input' if args.file == '-' else args.file}, {where}: {fault}") from None
            return self._count(1, wrong=1)
        if args.json_stream and line:
            json_line({"line": self.lines + 1, "graph": line.decode("ascii")} | answer_members(answer))
        elif answer.status == ("none" if args.none or args.reasons else "tour"):
            write_at_once(line.decode("ascii") + f"\t{answer.refutation}" * args.reasons + "\n")
        elif answer.unknown and line:
            say(f"{where} is unknown: {stop_words(answer.stopped_by)}")
        return self._count(1, **{answer.status if line else "empty": 1})

    def _count(self, lines: int, **found: int) -> None:
        """Count lines that are done, and tell the progress if it is asked for and time."""
        self.lines += lines
        self.found.update(found)
        if self.args.progress and self.clock.waited > self.told + 1:
            self.told = self.clock.waited
            say(self.counts())

    def counts(self) -> str:
        """Return in words how many graphs were read, how many have which status, and the rate."""
        tours, none, unknown, wrong = map(self.found.__getitem__, ("tour", "none", "unknown", "wrong"))
        read, kind = tours + none + unknown, "a closed tour" if self.args.closed else "an open tour"
        words = f"{read:,} read: {tours:,} with {kind}, {none:,} without, {unknown:,} unknown"
        return f"{words}{f'; {wrong:,} not graphs' * bool(wrong)}; {read / max(self.clock.seconds, 1e-3):,.0f} a second"
