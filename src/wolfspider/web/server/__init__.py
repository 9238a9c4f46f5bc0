"""Any web as a real HTTP server."""
