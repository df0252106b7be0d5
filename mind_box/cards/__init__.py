"""The real cards: enrolled tags, labels, sleeves, what stands on a tag."""
