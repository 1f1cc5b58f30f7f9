"""The comparison of two bundles: a form, figures, a chart by layer, and the generated tokens side by side."""
