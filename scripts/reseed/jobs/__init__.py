"""One module a rule: the body of that job."""
