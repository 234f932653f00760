"""The `hyperscout` command: reads arguments and files, calls the rooms, prints what they return.

It may import every room; nothing may import it.
"""
