"""Pages in a browser: what both of them share, and the read-only table page of a real box."""
