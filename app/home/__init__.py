"""The Home page: start cards, recent bundles, unfinished builds."""
