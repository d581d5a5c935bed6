"""Files and words: graph files, formulas, JSON, arrays, messages."""
