"""The native reference engine: depth-first search, its move orders and its prunings."""
