"""The page that shows a search at work, and the server behind it."""
