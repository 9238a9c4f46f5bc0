"""How bytes become pages, and addresses one spelling."""
