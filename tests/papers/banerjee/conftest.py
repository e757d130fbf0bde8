"""The study of the exhibits of α̂."""

import trimmed_study

make = trimmed_study.make
