"""What crawls, webs and judges are measured by."""
