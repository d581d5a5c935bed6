"""The formulations of a Hamiltonian cycle with required edges, for CP-SAT and for SAT. They know graphs, not chess."""
