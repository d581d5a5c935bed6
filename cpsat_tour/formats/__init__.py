"""What is read and written: graph files, formulas, JSON, arrays."""
