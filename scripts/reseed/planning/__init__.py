"""Load and validate a project, build its plan, estimate costs."""
