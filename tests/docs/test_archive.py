"""The archive of results: made, packed, and checked by its own script in an interpreter without packages."""

import csv
import hashlib
import json
import subprocess
import sys
import tarfile
from itertools import chain
from pathlib import Path

import archive
import pytest
from archive_check import fault_of_tour
from atlas import DATA
from tables import lines_of


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An archive of the knight's boards to 5x6, and of one claim or a few of each other part."""
    made = tmp_path_factory.mktemp("made") / "results"
    small = [line for line in lines_of(DATA) if line["leaper"] == "1,2" and "20" not in line["board"]]
    small = [line for line in small if max(map(int, line["board"].split("x"))) <= 6][-18:]
    parts = (
        archive.theorem_claims(made),
        archive.atlas_claims(made, small),
        archive.strip_claims(made, {1: 10}),
        archive.square_claims(made, [(2, 3)]),
        archive.turn_claims(made, ["6x6"]),
        archive.fewest_claims(made, [("5x6", "turns")]),
        archive.bound_claims(made, [18]),
        archive.count_claims(made, [("torus:4x4", "closed")]),
        archive.certified_count_claims(made, [("3x10", "closed")]),
    )
    archive.main(made, chain(*parts))
    return made


def checked(folder: Path) -> subprocess.CompletedProcess[str]:
    """What the script of an archive prints, without this project and other packages."""
    return subprocess.run(
        [sys.executable, "-I", "-S", "check.py"], cwd=folder, capture_output=True, text=True, check=False
    )


def test_its_script_checks_it_alone(folder: Path) -> None:
    ended = checked(folder)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout == "10 tours checked, 20 certificates, counts and theorems by their digests, 0 wrong\n"
    assert len((folder / "check.py").read_text(encoding="utf-8").splitlines()) < 100


def test_every_claim_says_its_command_and_who_had_it_before(folder: Path) -> None:
    with (folder / "claims.csv").open(newline="", encoding="utf-8") as file:
        claims = [*csv.DictReader(file)]
    assert all(all(claim.values()) for claim in claims)
    asked = {"solve 1,2:5x6 --closed", "prove 1,2:5x5 --closed", "best 6x6 --closed --minimize turns"}
    assert asked | {"solve 1,2:3x10 --closed", "prove 1,2:3x8 --closed", "prove 2,3:8x8 --closed", "coqc Sides.v"} <= {
        claim["command"] for claim in claims
    }
    said = {
        "a closed tour of the 6x6 board has 32 turns",
        "a closed tour of the 5x6 board has 28 turns, and none has fewer",
        "torus:4x4 has 1,344 closed tours, by the word of the frontier method",
        "3x10 has exactly 16 closed tours",
    }
    assert said <= {claim["claim"] for claim in claims}


def test_it_is_packed_whole(folder: Path) -> None:
    with tarfile.open(f"{folder}.tar.xz") as packed:
        names = {Path(name) for name in packed.getnames()}
    assert names == {Path("results") / path.relative_to(folder) for path in folder.rglob("*")} | {Path("results")}


def test_changes_are_found(folder: Path) -> None:
    tour, claims = folder / "tours" / "1,2_5x6_closed.json", folder / "claims.csv"
    before, listed = tour.read_bytes(), claims.read_text(encoding="utf-8")
    data = json.loads(before)
    data["squares"][:2] = data["squares"][1::-1]
    try:
        tour.write_text(json.dumps(data), encoding="utf-8")
        assert "the digest is another" in checked(folder).stdout
        old, new = (hashlib.sha256(content).hexdigest() for content in (before, tour.read_bytes()))
        claims.write_text(listed.replace(old, new), encoding="utf-8")
        assert "is not a move" in checked(folder).stdout
    finally:
        tour.write_bytes(before)
        claims.write_text(listed, encoding="utf-8")


def test_faults_of_tours_are_told() -> None:
    square = {"rows": 2, "cols": 2, "holes": [], "leaper": [0, 1], "closed": True}
    around = [[0, 0], [0, 1], [1, 1], [1, 0]]
    assert fault_of_tour(square | {"squares": around, "turns": 4}) == ""
    assert "turns" in fault_of_tour(square | {"squares": around, "turns": 3})
    assert "once" in fault_of_tour(square | {"squares": around[:3]})
    assert "not a move" in fault_of_tour(square | {"squares": [around[0], around[2], around[1], around[3]]})
