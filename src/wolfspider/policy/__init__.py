"""What decides: strategies and judges, and what they are made of. No clock, no files, no network."""
