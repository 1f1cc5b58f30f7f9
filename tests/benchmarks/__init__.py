"""Measurements, apart from the tests: they print figures and assert no clock."""
