"""Hunts for programs that think: tools by which an agent starts crawls, watches them and reads what they found."""
