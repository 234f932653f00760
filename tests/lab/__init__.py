"""The namespace lab: hosts and switches as network namespaces, cables as veth pairs, real daemons in them.

How to use it (it takes root; without the programs a test skips, with CI=true it fails):

    @pytest.fixture(scope="module")
    def lab() -> Iterator[Lab]:
        with laid() as one:
            yield one

    host, leaf = lab.machine("gpu-01"), lab.machine("leaf-01")
    lab.cable((host, "eth0"), (leaf, "swp1"))             # a veth pair, both ends up
    speak(lab, leaf, Speaker("leaf-01", ports={"swp1": Told("local", "Ethernet1/1")}))    # lldpd, one frame a second
    with host.entered():                                  # sockets opened in here belong to the namespace for good
        listener.follow({"eth0"})
    lab.start(leaf, "snmpd", "-f", ...)                   # any program in the namespace; ended with the lab
    leaf.run("ip", "maddr")                               # or one that ends by itself

    serve_snmp(lab, leaf)                                 # snmpd in there, and lldpd's tables (LLDP-MIB) through it:
    start_lldpd(lab, leaf, Speaker("leaf-01"), agentx=True).wait()
    with leaf.entered():                                  # nothing else may run in the test's loop meanwhile
        probed = await walk_switch(Target(ADDRESS, PORT), Community(COMMUNITY), Bounds())

    fabric = raise_fabric(lab)                            # 2 leaves x 4 hosts and a spine, all of that at once (1 s)

Namespaces are named `hs-<process>-<lab>-<machine>`, so that labs run beside each other; all are removed at the end.
"""
