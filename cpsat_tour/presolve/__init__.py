"""Reductions of a problem before a solver is asked: conditions, forced edges, edge cuts, gadgets."""
