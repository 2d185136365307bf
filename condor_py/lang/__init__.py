"""Languages: text in, values out. Nothing here has a side effect but reading the files that a language names."""
