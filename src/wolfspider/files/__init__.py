"""What everything on disk shares: one owner at a time, and places where a test can kill the process."""
