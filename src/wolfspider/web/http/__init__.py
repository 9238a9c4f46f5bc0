"""The live web: requests that are guarded and polite."""
