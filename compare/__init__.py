"""Running backends side by side and comparing what they say and how long they take.

`report.compare_backends` makes runs and returns a `report.Comparison`. Below it, `record.load` reads a file of runs as
a list of `record.RecordedRun`, `summary.summaries` gives their medians and scores, `agree.agree` asks and judges, and
`perform.perform` makes one run.
"""
