"""Boards by patterns, studies, and the file of runs: appended to, cut off, locked, read back."""

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from cpsat_tour import BadInput, Problem, load as load_backend, run
from cpsat_tour.compare.child import split_spec
from cpsat_tour.compare.record import (
    Job,
    RecordedRun,
    Results,
    graph_of,
    label,
    load,
    problem_of,
    read_runs,
)
from cpsat_tour.compare.study import Group, backend_specs, expand_patterns, read_study, shipped_studies, study_of
from cpsat_tour.spaces.families import Member
from cpsat_tour.spaces.theorems import has_tour


@pytest.mark.parametrize(
    ("patterns", "boards"),
    [
        ("6..12:2", "6x6 8x8 10x10 12x12"),
        ("4x5..8 8 4x6", "4x5 4x6 4x7 4x8 8x8"),
        ("1..2x1..3", "1x1 1x2 1x3 2x1 2x2 2x3"),
        ("2..3x3x4..6:2 3\u00d74", "2x3x4 2x3x6 3x3x4 3x3x6 3x4"),
        ("GP(5..11:3,1..2) cubic(4,7)", "GP(5,1) GP(5,2) GP(8,1) GP(8,2) GP(11,1) GP(11,2) cubic(4,7)"),
    ],
)
def test_any_number_of_any_space_may_be_a_range(patterns: str, boards: str) -> None:
    assert expand_patterns(patterns.split()) == boards.split()


@pytest.mark.parametrize("n", range(3, 15))
def test_the_theorem_on_petersen_graphs(n: int) -> None:
    for k in range(1, (n + 1) // 2):
        answer = run(Problem(graph_of(f"GP({n},{k})"), True), load_backend("cpsat"))
        assert (answer.status == "tour") == has_tour(Member.parse(f"GP({n},{k})"), closed=True), (n, k)


def test_graph_files_are_found_beside_the_study(tmp_path: Path) -> None:
    for name in ("b.edges", "a.edges"):
        (tmp_path / name).write_text("x y\ny z\nz x\n")
    (tmp_path / "study.toml").write_text(
        'boards = ["*.edges"]\nbackends = ["py:broken_backends:Honest"]\nkinds = ["closed"]'
    )
    (group,) = read_study(str(tmp_path / "study.toml")).groups
    assert [question.board for question in group.questions()] == [str(tmp_path / "a.edges"), str(tmp_path / "b.edges")]
    assert problem_of(group.questions()[0]).graph.order == 3


def test_a_question_for_each_board_and_kind() -> None:
    asked = Group(name="", boards=["3x4", "1x2"]).questions()
    assert ", ".join(map(str, asked)) == "open 3x4, closed 3x4, open 1x2, closed 1x2"


def test_the_studies_that_ship_can_be_read() -> None:
    whole = ["bounds", "published", "strength"]  # of one group
    parts = ["frames", "graphs", "hcp", "hidden", "paper", "scale", "sixty", "smoke", "tourless", "twins"]
    assert shipped_studies() == sorted(whole + parts)
    for name in shipped_studies():
        study = read_study(name)
        jobs = study.jobs(1, "local")
        assert len({job.key for job in jobs}) == len(jobs)
        assert (len(study.groups) == 1) == (name in whole)


def test_a_study_goes_seed_by_seed_from_small_boards_to_large() -> None:
    study = study_of(
        "test",
        {"boards": ["6x6", "5x5"], "backends": ["dfs", "sat:lazy solver=cadical153"], "kinds": ["open"], "seeds": 2},
    )
    assert [(job.seed, job.board, job.backend) for job in study.jobs(3, "local")] == [
        (seed, board, backend)
        for seed in (0, 1)
        for board in ("5x5", "6x6")
        for backend in ("dfs", "sat:lazy solver=cadical153")
    ]
    assert {job.jobs for job in study.jobs(3, "local")} == {3}


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("", "no boards"),
        ('boards = "8x8"', "boards"),
        ('boards = ["8x8"]\ncolour = 1', "unknown field colour"),
        ('boards = ["8x8"]\nbackends = ["gurobi"]', "'gurobi'"),
        ('boards = ["8x8"]\nbackends = ["cpsat red"]', "'red'"),
        ('boards = ["8x8"]\nbackends = "cpsat"', "'cpsat'"),
        ('boards = ["8x8"]\nkinds = ["round"]', "'round'"),
        ('boards = ["8x8"]\nseeds = 0', "seeds"),
        ('boards = ["8x8"]\nseeds = [-1]', "seeds"),
        ('boards = ["8x8"]\ntime_limit = 0', "time_limit"),
        ('boards = ["8x8"]\ntime_limit = inf', "time_limit"),
        (f'boards = ["8x8"]\ntime_limit = {"9" * 400}', "time_limit"),
        (f'boards = ["8x8"]\ntime_limit = {"9" * 5000}', "TOML"),
        (f'boards = ["8x8"]\nseeds = {"9" * 400}', "seeds"),
        ('boards = ["8x8"]\nmemory_limit = 0.5', "memory_limit"),
        ('boards = ["8x8"]\nthreads = "two"', "threads"),
        ('boards = ["8x8"]\nstarts = "all"', "starts"),
        ('boards = ["8x8"]\n[[group]]\nname = "a"\n[[group]]\nname = "a"', "one name"),
        ('boards = ["8x8"]\ngroup = 1', "[[group]]"),
        ("boards = [", "TOML"),
    ],
)
def test_a_bad_study_is_one_sentence(text: str, word: str, tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text(text)
    with pytest.raises(BadInput) as fault:
        read_study(str(tmp_path / "bad.toml"))
    assert word in str(fault.value)
    assert "\n" not in str(fault.value).strip()


def some_run(seed: int = 0) -> RecordedRun:
    """A run as it might be recorded."""
    return RecordedRun(
        "cpsat",
        "6x6",
        "closed",
        seed=seed,
        status="tour",
        seconds=0.25,
        work={"conflicts": 7},
        machine={"host": "é"},
        vertices=36,
    )


def test_runs_are_read_back_as_they_were_written(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    with Results(path, resume=False) as results:
        for seed in (0, 1, 1, 0):
            results.append(some_run(seed))
    assert load(path) == [some_run(0), some_run(1)]
    assert json.loads(path.read_text().splitlines()[0])["key"] == some_run(0).key
    with pytest.raises(BadInput, match="--resume"):
        Results(path, resume=False)
    with Results(path, resume=True) as results:
        results.append(some_run(1))
        results.append(some_run(2))
    assert [run.seed for run in load(path)] == [0, 1, 2]


def test_a_last_line_that_is_cut_in_half_is_cut_off_and_told(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    lines = [some_run(seed).line().encode() for seed in (0, 1)]
    for length in (1, len(lines[1]) // 2, len(lines[1]) - 1):
        path.write_bytes(lines[0] + lines[1][:length])
        assert load(path) == [some_run(0)]
        assert read_runs(path)[2] == length
        with Results(path, resume=True) as results:
            assert results.cut_off == length
            results.append(some_run(1))
        assert path.read_bytes() == lines[0] + lines[1]


@pytest.mark.parametrize("bad", ["nonsense", "[]", "{}", '{"backend": "cpsat"}', ""])
def test_a_line_that_is_no_run_or_one_again_is_named(bad: str, tmp_path: Path) -> None:
    path, again = tmp_path / "runs.jsonl", some_run().line()
    path.write_text(some_run().line() + (f"{bad}\n" if bad else again) + some_run(1).line())
    with pytest.raises(BadInput, match="line 2: this is not a run" if bad else "line 2: this run is line 1 again"):
        load(path)


NAN = float("nan")


@pytest.mark.parametrize(
    ("field", "value"),
    [("status", "perhaps"), ("status", None), ("status", []), ("kind", "round"), ("board", 8), ("backend", None),
     ("seed", True),
     ("seed", 0.5), ("time_limit", "10"), ("time_limit", 10**400), ("seconds", NAN), ("memory", "much"), ("work", 3),
     ("seconds", -5), ("wall", -1), ("user", -1), ("vertices", -36), ("seed", -1), ("seed", 2**63), ("threads", 0),
     ("time_limit", 0), ("jobs", 0),
     ("work", {"conflicts": -1}), ("machine", {"memory": "much"}), ("status", "\x1b[1m")],
)  # fmt: skip
def test_a_field_of_the_wrong_type_is_named_with_its_line(field: str, value: object, tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    path.write_text(some_run().line() + json.dumps(json.loads(some_run(1).line()) | {field: value}) + "\n")
    with pytest.raises(BadInput, match=f"line 2: this is not a run: .*{'malformed' if value is NAN else field}"):
        load(path)


def test_two_harnesses_do_not_write_one_file(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    with Results(path, resume=True), pytest.raises(BadInput, match="being written"):
        Results(path, resume=True)
    with Results(path, resume=True) as results:
        assert results.runs == []


def test_a_key_depends_on_the_question_and_not_on_where_it_runs() -> None:
    job = Job("cpsat", "6x6", "closed", group="g")
    same: list[dict[str, Any]] = [{"jobs": 7}, {"executor": "dask"}, {"study": "s"}]
    others: list[dict[str, Any]] = [
        {"backend": "sat"}, {"board": "8x8"}, {"kind": "open"}, {"seed": 1}, {"threads": 2},
        {"group": "h"}, {"time_limit": 1.0}, {"memory_limit": 10},
    ]  # fmt: skip
    assert {dataclasses.replace(job, **change).key for change in same} == {job.key}
    assert len({job.key, *(dataclasses.replace(job, **change).key for change in others)}) == 1 + len(others)


def test_a_folder_stands_for_its_graph_files_and_a_list_for_its_graphs(tmp_path: Path) -> None:
    for name in ("b/same.edges", "a/same.edges", "README.md", ".hidden.edges"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x y\ny z\nz x\n")
    (tmp_path / "list.g6").write_text(">>graph6<<Bw\n" + "C~\n" * 999)
    (tmp_path / "one.g6").write_text("Bw\n")
    found = [board.removeprefix(f"{tmp_path}/") for board in expand_patterns([str(tmp_path)])]
    listed = [f"list.g6:{number}" for number in range(1, 1001)]
    assert found == ["a/same.edges", "b/same.edges", *listed, "one.g6"]
    assert expand_patterns(["list.g6", "list.g6:7"], tmp_path) == [f"{tmp_path}/{name}" for name in listed]
    orders = [graph_of(f"{tmp_path}/{name}").order for name in ("list.g6:1", "list.g6:1000", "one.g6")]
    assert orders == [3, 4, 3]
    (tmp_path / "study.toml").write_text('boards = ["."]\nbackends = ["dfs"]\nkinds = ["closed"]')
    assert len(read_study(str(tmp_path / "study.toml")).jobs(1, "local")) == len(found)


@pytest.mark.parametrize("number", [0, 3, 10**9])
def test_a_graph_that_a_list_has_not_is_named(number: int, tmp_path: Path) -> None:
    (tmp_path / "list.g6").write_text("Bw\nC~\n")
    with pytest.raises(BadInput, match=f"list.g6:{number}: there is no such graph"):
        graph_of(f"{tmp_path}/list.g6:{number}")


def test_what_can_not_be_read_in_a_folder_is_named_before_anything_is_run(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"has no graph file: these have the suffixes \.adjlist, "):
        expand_patterns([str(tmp_path)])
    for name, text in (("good.edges", "x y\ny z\nz x\n"), ("sub/bad.hcp", "TYPE : HCP\n"), ("list.g6", "Bw\n~~~\n")):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    with pytest.raises(BadInput) as fault:
        expand_patterns([str(tmp_path)])
    said = str(fault.value)
    assert said.startswith("2 of 4 graphs can't be read: ")
    assert all(words in said for words in ("list.g6:2 (", "sub/bad.hcp (", "move them away, or name the others"))


def test_the_label_of_a_program_leaves_out_what_is_the_run_s() -> None:
    written = "sat:crt@/opt/sat_1 plain=true --seed={seed} -t {seconds} --plain -n 3"
    assert label(written) == "sat:crt@/opt/sat_1 plain=true --plain -n 3"
    assert split_spec(written) == (
        "sat:crt@/opt/sat_1 --seed={seed} -t {seconds} --plain -n 3",
        {"plain": "true"},
    )
    assert label("milp@cbc -- {formula} sec {seconds} solve solution {answer}") == "milp@cbc"
    with pytest.raises(BadInput, match="two backends are called 'sat:crt@/bin/sh -q' in tables"):
        backend_specs(["sat:crt@/bin/sh -q", "sat:crt@/bin/sh --seed={seed} -q"])
