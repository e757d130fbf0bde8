"""From trial files to the tables of a study; each trial is checked against its key."""
