"""Boards as text, SVG and PNG."""
