"""The vocabulary of the whole house: values, events, parameters, words. Nothing here decides or does I/O."""
