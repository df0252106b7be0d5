"""From the View to lamps, pictures and words."""
