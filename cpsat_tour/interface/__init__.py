"""What people hold in Python: keywords of a question, `Tour` and `Answer`, which save, draw and describe themselves."""
