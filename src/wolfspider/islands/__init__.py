"""A fleet of islands: several whole crawls, as processes here or on other machines, that are read as one run."""
