"""The game itself: pure rules, no clock, no chance, no text."""
