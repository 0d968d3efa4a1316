# The language, "Lexical"

# numbers
1_000                                             #=> 1000
0xff                                              #=> 255
0b101                                             #=> 5
0o17                                              #=> 15
.5                                                #=> 0.5
1e-3                                              #=> 0.001
1.                                                #=> 1.0
2j                                                #=> 2j
1.5j * 2                                          #=> 3j
1.e3                                              #! syntax: 1e3
9223372036854775807                               #=> 9223372036854775807
-9223372036854775808                              #=> -9223372036854775808
18446744073709551615                              #=> 18446744073709551615
18446744073709551616                              #! syntax:
u64(18446744073709551615)                         #=> 18446744073709551615

# strings
"tab\there"                                       #=> tab	here
'single'                                          #=> single
"\x41\u{e9}\u{1F600}"                             #=> Aé😀
len("é😀")                                         #=> 2
"a\"b"                                            #=> a"b
"""two
lines"""                                          #=> two
                                                  #=> lines
"open                                             #! syntax:

# f-strings
x = 3.14159
f"x = {x:.3f}"                                    #=> x = 3.142
f"{{braces}} {1 + 1}"                             #=> {braces} 2
f"{'in' + 'ner'}"                                 #=> inner
f"{255:x} {255:#x} {5:b} {8:o}"                   #=> ff 0xff 101 10
f"{1234567:,}"                                    #=> 1,234,567
f"[{'ab':>5}] [{'ab':<5}] [{'ab':^6}]"            #=> [   ab] [ab   ] [  ab  ]
f"{0.25:%}"                                       #=> 25.000000%
f"{-3:+d} {3:+d} {7:03d}"                         #=> -3 +3 007
f"{1e10:g} {0.0001:e}"                            #=> 1e+10 1.000000e-04
w = 8
f"[{x:{w}.2f}]"                                   #=> [    3.14]

# line ends
y = 1 +
    2
y                                                 #=> 3
z = (1
     + 2)
z                                                 #=> 3
a = 1; b = 2
a + b                                             #=> 3
fn twice(v) = v * 2
5
    |> twice                                      #=> 10

# words of other languages
True                                              #! name: true
None                                              #! name: none
1 && 2                                            #! syntax: and
lambda x: x                                       #! syntax: fn
+1                                                #! syntax:
