"""A result as a page to read, to print and to send: facts from the file, words and tables of them, plots, templates."""
