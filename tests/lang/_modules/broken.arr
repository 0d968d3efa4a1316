# A module that fails when it runs.
x = 1
y = x + "text"
