"""Draws boards, graphs, tours and proofs as SVG, and from that as PNG, GIF and PDF."""
