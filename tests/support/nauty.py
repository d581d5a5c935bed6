"""Small graphs as nauty makes them, and at random."""

import shutil
import subprocess

import numpy as np
import pytest

from cpsat_tour import Graph


def nauty(*words: str, given: str = "") -> list[str]:
    """The lines that a program of nauty prints; a test without nauty is skipped."""
    program = shutil.which(f"nauty-{words[0]}") or shutil.which(words[0])
    if program is None:
        pytest.skip(f"{words[0]} of nauty is not installed: apt-get install nauty")
    return subprocess.run([program, *words[1:]], input=given, capture_output=True, text=True, check=True).stdout.split()


def random_graph(order: int, density: float, seed: int) -> Graph:
    edges = np.argwhere(np.triu(np.random.default_rng(seed).random((order, order)) < density, 1))
    return Graph.from_edges(order, edges)
