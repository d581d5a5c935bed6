"""Three puzzles, each on a sheet of its own."""

from cpsat_tour import Puzzle, puzzle

for seed in range(3):
    made = puzzle("5x5", grade=1, seed=seed)
    if isinstance(made, Puzzle):
        made.save(f"puzzle-{seed}.svg")
        print(made, repr(made))
        print(made.grade, str(made).count(".") == 25 - len(made.givens))
# 1 True
