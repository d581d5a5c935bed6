"""What is decided, or made smaller, before a solver is asked: conditions, forced edges, edge cuts, gadgets."""
