"""What a hand does at the table and what everyone may see of it."""
