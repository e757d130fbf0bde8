"""Job specs, results layout, job runner, fork server, progress."""
