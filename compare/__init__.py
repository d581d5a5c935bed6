"""Running backends side by side and comparing what they say and how long they take.

In Python, `record.load` reads a file of runs as a list of `record.Run`, `record.frame` makes a pandas frame of them, `summary.summaries`
their medians and scores, `agree.agree` asks and judges, and `perform.perform` makes one run.
"""
