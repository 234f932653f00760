"""`hyperscout whatif`: would this gang fit, and where; asked of a captured fabric or of the live cluster."""
