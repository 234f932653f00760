"""The demo: a talk's demonstration of topology-aware gang scheduling, replayed on a topology that is discovered.

`hardware` plays the hardware of 118 nodes (generated evidence), `stage` starts the embedded API server with the real
controller and the real scheduler on it, `gangs` writes the objects of a training job, `scenes` is the story and asserts
it, `running` is the command.
"""
