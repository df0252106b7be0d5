"""The image of a card, for the usual imager."""
