"""Conformance suites and the webs they run on, for this project and for people who write plug-ins."""
