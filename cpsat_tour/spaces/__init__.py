"""Where graphs come from and what their vertices are called: boards, families of graphs, symmetries, and theorems about
them."""
