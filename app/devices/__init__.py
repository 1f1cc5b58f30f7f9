"""Devices: what this machine can run a bundle on."""
