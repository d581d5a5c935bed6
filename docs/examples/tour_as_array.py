"""The visit numbers of a tour as a NumPy array, and a tour from its squares."""

import numpy as np

from cpsat_tour import Tour, solve

tour = solve("5x6", closed=True).tour
assert tour is not None
numbers = tour.array()
print(numbers.shape, int(numbers.sum()), int(np.abs(np.diff(tour.vertices)).max()) <= 13)
print(Tour.of("5x6", tour.names, closed=True) == tour, tour.reversed() == tour)
# True False
