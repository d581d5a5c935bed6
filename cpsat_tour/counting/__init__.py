"""How many tours there are: exactly, by a dynamic program over a moving frontier, or estimated by random probes."""
