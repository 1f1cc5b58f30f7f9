"""Other people's graphs: a folder or files of theirs in, a bundle out, and a bundle for their programs."""
