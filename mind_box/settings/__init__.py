"""What may be set, how a file of settings is read, and the reference that is printed from it."""
