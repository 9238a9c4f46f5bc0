"""Small learners: numbers in, numbers out, without I/O and without a clock."""
