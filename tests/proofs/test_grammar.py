"""The parser of VeriPB's published grammar, which all certificates of the tests meet, refuses other text."""

from __future__ import annotations

import pytest
from veripb_grammar import NotInGrammar, check_formula, check_proof

HEADER, ENDS = "pseudo-Boolean proof version 3.0\n", ("output NONE", "conclusion UNSAT", "end pseudo-Boolean proof")

TAKEN = [
    *(
        "pol 1 2 + 3 *\n 4 + s 2 d ;",
        "@c1 pol x1 ~x2 + @c0 + 0 * ;",
        "rup 1 x1 +1 ~x2 >= 1 ;",
        "rup >= 1 : 1 2 ~ @c -1;",
    ),
    *("red 1 x1 2 ~x2 >= 2 : x1 -> 0 x2 ~x3 ; % why", "del id 1 -2 @c ;", "solx x1 ~x2 ;", "soli x1 ~x2 ;", "f 12;"),
]
REFUSED = [
    *("pol 1 2 + 3", "pol 1 2 ;", "pol 1 + ;", "pol ;", "* a comment\npol 1 ;", "rup 1 x1 >= 1 ; 1 2 ;", "p 1 2 + ;"),
    *("rup 1 x1 = 1 ;", "rup x1 >= 1 ;", "red 1 x1 >= 1 ; x1 -> 0 ;", "@c del id 1 ;", "u 1 x1 >= 1 ;", ";"),
    "output NONE ;",
]


def is_taken(text: str) -> bool:
    try:
        return check_proof(text) > 2
    except NotInGrammar:
        return False


@pytest.mark.parametrize("step", [*TAKEN, *REFUSED])
def test_the_parser_takes_published_forms_of_steps_alone(step: str) -> None:
    assert is_taken(f"{HEADER}{step}\n{' ;'.join([*ENDS, ''])}") == (step in TAKEN)


@pytest.mark.parametrize(
    ("conclusion", "taken"),
    [
        *((said, True) for said in ("UNSAT", "UNSAT : @c", "ENUMERATION_COMPLETE 9862 : -1", "BOUNDS 3 : 7 3")),
        ("BOUNDS 3 : 7 INF", True),
        *((said, False) for said in ("BOUNDS 3", "UNSAT 3", "SAT", "ENUMERATION_COMPLETE")),
    ],
)
def test_the_parser_takes_published_forms_of_conclusions_alone(conclusion: str, taken: bool) -> None:
    assert is_taken(f"{HEADER}{ENDS[0]};conclusion {conclusion};{ENDS[2]};") == taken


@pytest.mark.parametrize(
    "wrong",
    [
        "+1 x1 = 1 ;",
        "* #variable= 1 #constraint= 2\n+1 x1 = 1 ;",
        "* #variable= 1 #constraint= 1\n+1 x1 = 1",
    ],
)
def test_the_parser_takes_formulas_alone(wrong: str) -> None:
    objective = "min: 1 x1 ;\npreserved: x1 x2 ;\n"
    assert check_formula(f"* #variable= 2 #constraint= 1\n* why\n{objective}@c +1 x1 +1 x2 = 2 ;\n") == 1
    with pytest.raises(NotInGrammar):
        check_formula(wrong)
