"""The parts that every room shares: graph, problem, its reduction to a cycle problem, tour, answer, events, conditions,
errors."""
