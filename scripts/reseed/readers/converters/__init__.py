"""Files that tools write, each as one table: one function a tool.

In: files, or a table of the tool's columns. Out: a `SourceTable`, one row a score or run.
A tool stands here only while a file that it wrote is tested; other tools are three lines of pandas
(docs/your-tracker.md).
"""
