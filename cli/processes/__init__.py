"""The processes that run for ever: settings, checks at the start, health and figures over HTTP, a clean stop.

What they do is the matter of their rooms; here they are only started, watched and stopped.
"""
