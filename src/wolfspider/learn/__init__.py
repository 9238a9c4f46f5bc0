"""Numbers in, numbers out: what is measured of webs and learned from crawls, without I/O and without a clock."""
