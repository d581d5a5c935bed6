"""The parts that every room shares: graphs and spaces, problems and their reduction to a cycle problem, verification,
runs, calls of kernels, child processes, errors."""
