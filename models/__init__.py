"""The formulations of a Hamiltonian cycle with required edges, each for a family of solvers. They know graphs, not
chess."""
