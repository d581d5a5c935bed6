"""Proofs of impossibility that anyone can check: their writers, and the independent checker."""
