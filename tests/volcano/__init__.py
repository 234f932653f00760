"""Life beside Volcano: its real scheduler and controllers on the HyperNodes that our controller writes."""
