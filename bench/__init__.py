"""Benchmarks and soaks: each prints ratios against a reference that it measures in the same run, and its limits.

A program that ends with a figure over its limit exits with 1. `soak_*` are the long hunts.
"""
