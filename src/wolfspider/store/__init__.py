"""What a run keeps on disk: a database, the archive of all answers, the shelf of links."""
