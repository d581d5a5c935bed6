"""All tours of the 5x5 board from a corner, and how many there are up to symmetry."""

from cpsat_tour import Tour, tours

every: set[Tour] = set(tours("5x5", start="a1"))
distinct = list(tours("5x5", start="a1", distinct=True))
print(len(every), len(distinct), max(len(tour) for tour in every))
# 304 112 25
