"""Running backends side by side and comparing what they say and how long they take."""
