"""Qt items and views for the picture of a composite; the drawing comes from workflows.inspection.picture."""
