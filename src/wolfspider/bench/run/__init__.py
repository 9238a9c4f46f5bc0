"""Running a bench: cells, processes, and what is kept of them."""
