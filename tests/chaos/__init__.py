"""The controller among crashes, storms and silence: a real process on a real API server, watched from outside.

`laws` says what no tree may ever be, `ledger` what may have left it, `watcher` follows every event and holds both
against it. `churn` changes the site at random, `replica` is a controller that is killed and frozen, `arena` puts them
together. Nothing here uses our client, our plan or our decisions to judge them.
"""
