"""The sysfs probe."""
