"""Observable models: QObjects with signals, no widgets. Views follow them."""
