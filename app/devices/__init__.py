"""The Devices page: the providers of this computer."""
