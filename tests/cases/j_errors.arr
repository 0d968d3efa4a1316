# Memory, interruption, errors.

# T92: an impossible request is an error and the session goes on
zeros(10**15) + 1                                 #! memory:
zeros(10**12, 10**12)                             #!
1 + 1                                             #=> 2
zeros(-1)                                         #! value:
