"""A Hamiltonian cycle of a networkx graph, in its own nodes."""

import networkx

from cpsat_tour import count, hamiltonian_cycle, hamiltonian_path, solve

grid = networkx.grid_2d_graph(4, 4)
cycle = hamiltonian_cycle(grid)
path = hamiltonian_path(grid, start=(0, 0), end=(3, 0))
print(cycle is not None and set(cycle) == set(grid), path is not None and path[-1])
print(hamiltonian_cycle(networkx.petersen_graph()), count(grid, closed=True))
tour = solve(grid, closed=True, require=[((0, 0), (0, 1))]).tour
print(tour is not None and len(tour.nodes))
# 16
