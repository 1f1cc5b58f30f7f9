"""Files that ship with Joinery: icons, presets and the demo checkpoints with the scripts that train them."""
