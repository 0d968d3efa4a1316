# Relative to the importing file, wherever the program runs.
scale = 10
