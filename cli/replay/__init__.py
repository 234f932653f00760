"""`hyperscout replay`: agents, sweepers and controller on a recording, in virtual time, and what they conclude.

`node` plays the agent of one node, `fabric` a sweeper, `control` the controller, `playing` all of them in their order;
`document` is what they concluded, `text` shows it to people, `comparing` compares it with what is expected.
"""
