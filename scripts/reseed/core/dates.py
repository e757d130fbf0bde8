"""Which texts are dates."""

import re

#: A date, with or without a time; `iso` where its order of year, month and day is beyond doubt.
DATE = re.compile(
    r"(?P<iso>\d{4}-\d{1,2}-\d{1,2}([ T].*)?)|\d{4}[-/]\d{1,2}(/\d{1,2})?([ T].*)?|\d{4}-?Q[1-4]"
    r"|\d{1,2}[./-]\d{1,2}[./-](\d\d){1,2}\b.*"
)
