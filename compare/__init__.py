"""Running backends side by side and comparing what they say and how long they take.

`side_by_side.compare_backends` makes runs and returns a `side_by_side.Comparison`. Below it, `record.load` reads a file
of runs as a list of `record.RecordedRun`, `record.frame` makes a pandas frame of them, `summary.summaries` their
medians and scores, `agree.agree` asks and judges, and `perform.perform` makes one run.
"""
