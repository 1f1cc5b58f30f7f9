"""Graphs for looking at: any .onnx file, or a component of a bundle at any stage of its build; weights stay unread.

file or archive ──load──▶ GraphFile ──view──▶ View (values, nodes) ──▶ the window, `joinery inspect`
two views ──match──▶ pairs ──diff──▶ one merged graph and its counts
an initializer ──tensor──▶ statistics            a scope ──excerpt──▶ a small .onnx for Netron
"""
