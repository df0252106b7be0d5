"""The first start of a box without a keyboard: its own buttons and screens, or a file on the card."""
