"""Two backends side by side, with a table and a picture."""

from cpsat_tour import compare_backends

found = compare_backends(["5x6", "6x6"], ["dfs", "sat"], closed=True, seconds=30)
found.plot("cactus").save("cactus.svg")
print(len(found.runs), {run.status for run in found.runs}, "| sat |" in found.report)
# 4 {'tour'} True
