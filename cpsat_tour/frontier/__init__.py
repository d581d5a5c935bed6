"""The frontier method along a sweep or an elimination tree: it searches and counts."""
