"""The demo: a talk's demonstration of topology-aware gang scheduling, replayed on a topology that is discovered.

`hardware` plays the hardware of 118 nodes (generated evidence), `grounds` is where it plays: an embedded API server, or
a cluster (`cluster` looks whether it is welcome and sets up, `cleaning` removes everything again). `stage` puts the
real controller and the real scheduler there, `gangs` writes the objects of a training job, `scenes` is the story and
asserts it, `running` is the command.
"""
