"""The folder of a certificate: the names of its files, and whether it can be written.

A module of its own, so that a command can look at the place before the prover is loaded.
"""

from __future__ import annotations

from pathlib import Path

from cpsat_tour.core.errors import BadInput
from cpsat_tour.formats.files import check_folder

CLAUSAL = ("problem.cnf", "proof.drup", "proof.lrat")

FILES = (
    "problem.opb",
    "variables.txt",
    "proof.pbp",
    "proof-1.2.pbp",
    "problem-1.2.opb",
    "why.txt",
    "why.svg",
    *CLAUSAL,
    "certificate.json",
)
"""The files of a certificate; `CLAUSAL` are of clausal proofs alone, those with ``1.2`` are written if asked for."""

FORMAT = "cpsat-tour certificate 1"
"""What ``certificate.json`` calls itself."""

SEAL = "certificate.json"


def check_certificate_folder(folder: str, *, force: bool) -> None:
    """Raise `BadInput` if no certificate can be written there, as far as can be told before there is one."""
    if Path(folder).suffix in (".svg", ".png", ".pdf", ".txt", ".json", ".opb", ".pbp"):
        raise BadInput(
            f"{folder} is the name of a file, and a certificate is a folder: write proof, and the picture is "
            "proof/why.svg"
        )
    check_folder(Path(folder), FILES, force=force)
