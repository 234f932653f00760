"""What is concluded from one snapshot and the memory, step by step: whose ports are whose, which cables are
known, which tree should stand, how its links are. Pure: `controller.decide` calls the steps in their order.
"""
