"""The hub of many boxes (``mind-box club``, docs/club.md): results exactly once, a board of all tables, a league."""
