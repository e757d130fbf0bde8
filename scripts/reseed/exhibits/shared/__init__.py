"""What exhibits share."""
