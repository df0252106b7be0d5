"""What a maker builds: pins, electrical checks, wiring, parts list, labels. Reads settings, never opens hardware."""
