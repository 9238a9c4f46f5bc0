"""The main job put together: from the settings of a person to a crawl that runs."""
