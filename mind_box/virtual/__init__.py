"""The same ports without hardware: chip models, virtual box, table scripts."""
