"""An API server in one process, for the demo and for tests. It is not for production.

`server` is the door: `EmbeddedServer`. Inside, a request becomes a `requests.Target`, a verb (`verbs`, `patching`,
`pods`) turns the target and a body into a new object, and `store` keeps it under the next revision and tells the
watches. Objects are plain JSON dictionaries here, as on the wire, and are never changed in place once stored.

`deleting` does what Kubernetes' garbage collector and namespace controller do. Known and refused by name: CEL that
`rules` does not understand, conversion between versions. Pods that nothing holds are removed at once, for no kubelet
stops them first. What breaks a schema that became stricter can be written only once it fits (no ratcheting).
"""
