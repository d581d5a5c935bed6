"""The cutting-plane loop that every family of solvers shares: numbering, cycles, merging, cut sets."""
