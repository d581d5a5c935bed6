"""Proofs of impossibility that anyone can check: their rows, their two kinds, the folder they are written to, and their checker."""
