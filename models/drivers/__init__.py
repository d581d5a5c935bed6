"""One driver for each family of solvers: how it is run, limited, stopped and counted."""
