"""Files on disk: written whole, locked by one owner, with fail-points for tests."""
