"""The netlink probe."""
