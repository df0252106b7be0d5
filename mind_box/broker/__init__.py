"""Copies of what happens at the box, for an MQTT broker (docs/broker.md). Nothing from there touches a game."""
