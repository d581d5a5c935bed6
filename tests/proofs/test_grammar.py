"""What we call proofs in VeriPB's format 3.0 has the form that is published for it."""

from __future__ import annotations

import pytest
from certificate_samples import PETERSEN, Sample, bowtie, bridge, clausal, four_by_four, named_bowtie, odd_board
from veripb_grammar import NotInGrammar, check_formula, check_proof

END = "output NONE ;\nconclusion UNSAT : -1 ;\nend pseudo-Boolean proof ;\n"
HEADER = "pseudo-Boolean proof version 3.0\n"


@pytest.mark.parametrize(
    "made", [odd_board(5, 5), four_by_four(), bowtie(), bridge(), named_bowtie(), clausal(PETERSEN, 10)]
)
def test_samples_have_the_form(made: Sample) -> None:
    assert check_formula("\n".join(made.opb)) > 4
    assert check_proof("\n".join(made.proof)) > 4
    with pytest.raises(NotInGrammar):
        check_proof("\n".join(made.proof).replace(" ;", ""))


@pytest.mark.parametrize(
    "step",
    [
        "pol 1 2 + 3 *\n 4 + s 2 d ;",
        "@c1 pol x1 ~x2 + @c0 + 0 * ;",
        "rup 1 x1 +1 ~x2 >= 1 ;",
        "rup >= 1 : 1 2 ~ @c1 -1;",
        "red 1 x1 2 ~x2 >= 2 : x1 -> 0 x2 ~x3 ; % why",
        "del id 1 -2 @c ;",
        "solx x1 ~x2 ;",
        "f 12;",
    ],
)
def test_published_forms_are_taken(step: str) -> None:
    assert check_proof(f"{HEADER}{step}\n{END}") == 4


@pytest.mark.parametrize(
    "step",
    [
        "pol 1 2 + 3",
        "pol 1 2 ;",
        "pol 1 + ;",
        "pol ;",
        "* a comment\npol 1 ;",
        "rup 1 x1 >= 1 ; 1 2 ;",
        "rup 1 x1 = 1 ;",
        "rup x1 >= 1 ;",
        "red 1 x1 >= 1 ; x1 -> 0 ;",
        "@c del id 1 ;",
        "p 1 2 + ;",
        "u 1 x1 >= 1 ;",
        "output NONE ;",
        ";",
    ],
)
def test_other_forms_are_not(step: str) -> None:
    with pytest.raises(NotInGrammar):
        check_proof(f"{HEADER}{step}\n{END}")


@pytest.mark.parametrize(
    ("conclusion", "taken"),
    [
        ("UNSAT", True),
        ("UNSAT : @c", True),
        ("ENUMERATION_COMPLETE 9862 : -1", True),
        ("BOUNDS 3 : 7 4 : x1 ~x2", True),
        ("BOUNDS 3", False),
        ("UNSAT 3", False),
    ],
)
def test_conclusions(conclusion: str, taken: bool) -> None:
    text = f"{HEADER}output NONE;conclusion {conclusion};end pseudo-Boolean proof;"
    if taken:
        assert check_proof(text) == 3
    else:
        with pytest.raises(NotInGrammar):
            check_proof(text)


def test_formulas() -> None:
    assert (
        check_formula("* #variable= 2 #constraint= 1\n* why\nmin: 1 x1 ;\npreserved: x1 x2 ;\n@c +1 x1 +1 x2 = 2 ;\n")
        == 1
    )
    for wrong in (
        "+1 x1 = 1 ;",
        "* #variable= 1 #constraint= 2\n+1 x1 = 1 ;",
        "* #variable= 1 #constraint= 1\n+1 x1 = 1",
    ):
        with pytest.raises(NotInGrammar):
            check_formula(wrong)
