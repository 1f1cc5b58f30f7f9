"""How far one bundle is from another: a form, figures, a chart by layer, and the tokens side by side."""
