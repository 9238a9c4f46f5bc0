"""Category indexes: pages in a tree of categories, found by words."""
