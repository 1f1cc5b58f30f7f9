"""Home: start cards and the bundles that were used last."""
