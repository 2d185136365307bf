"""Charts as SVG (for pages and files) and as rows of blocks (for terminals). Pure: figures in, text out."""
