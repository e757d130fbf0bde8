"""Picard 2021, *torch.manual_seed(3407) is all you need*."""
