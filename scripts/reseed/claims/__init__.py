"""Structured statements about results, and the sentences made from them."""
