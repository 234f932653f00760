"""`hyperscout uninstall`: stops what runs, takes our marks off the Nodes, and says what remains.

It may be cut short at any moment and run again: each step looks at what is there. HyperNodes stay unless --purge is
given, CustomResourceDefinitions always.
"""
