"""A certificate that there is no tour, written to a folder and checked there."""

from cpsat_tour import Certificate, check, prove

proved = prove("4x6", closed=True)
if isinstance(proved, Certificate):
    proved.write("proof")
    verdict = check("proof", "4x6", closed=True)
    print(verdict.valid, verdict.claim, verdict.steps)
# True no closed tour of the 4x6 board 1
