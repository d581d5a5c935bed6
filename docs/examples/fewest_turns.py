"""The tour with the fewest turns, and whether that is proved."""

from cpsat_tour import best

found = best("5x6", minimize="turns", closed=True, seconds=60)
print(found.value, found.optimal, found.answer.tour is not None)
# 28 True True
