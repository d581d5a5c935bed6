"""The writers of certificates: rows, linear program, clausal proofs, the folder, and the argument in words and
pictures."""
