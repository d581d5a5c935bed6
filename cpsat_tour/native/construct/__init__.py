"""Constructions: tours of the knight's rectangular boards of any size, in time linear in the squares."""
