# language.md, "Lexical": numbers, strings and line ends, one by one

1._                                               #! int has no attribute '_'
1..2                                              #! a field's name follows the point
1.e3                                              #! a digit is missing after the point: write 1e3
1.x                                               #! int has no attribute 'x'
print(1.)                                         #=> 1.0
print(1., 2.)                                     #=> 1.0 2.0
1.if true else 2                                  #! `if` is a keyword, no name
0xFF + 0XfF                                       #=> 510
0b2                                               #! 0b2 is not a number
0o8                                               #! 0o8 is not a number
0x                                                #! 0x is not a number
1__0                                              #! 1__0 is not a number
1_                                                #! 1_ is not a number
1e                                                #! 1e is not a number
1e+                                               #! 1e is not a number
1e5j + 0x10                                       #=> (16+100000j)
01                                                #! an integer does not begin with 0: octal is written 0o17
007.5                                             #=> 7.5
9223372036854775808                               #=> 9223372036854775808
-9223372036854775808                              #=> -9223372036854775808
9223372036854775808 + 1                           #! 9223372036854775808 is beyond the 64-bit integers: it serves where the other side is u64 or float
9223372036854775808 + 1.5                         #=> 9.223372036854776e+18
9223372036854775808 + u64([1])                    #=> [9223372036854775809]
9223372036854775808 == 9223372036854775808        #=> true
9223372036854775808 < [1]                         #=> [false]
18446744073709551616                              #! an integer literal beyond 2^64-1: write a float, 1e20
-(9223372036854775808)                            #=> -9223372036854775808
- 9223372036854775808                             #=> -9223372036854775808
-18446744073709551615                             #! 18446744073709551615 is beyond the 64-bit integers: it serves where the other side is u64 or float
1e400                                             #=> inf
"\n\t\r\\\"\'\0\x41\u{1F600}".len()               #=> 9
"\q"                                              #! escapes are \n \t \r \\ \" \' \0 \xHH \u{...}: a backslash itself is written \\
"\x4"                                             #! two hexadecimal digits follow \x
"\xff"                                            #=> ÿ
len("\xff")                                       #=> 1
"\u{110000}"                                      #! a code point in braces follows \u: \u{1F600}
"\u{d800}"                                        #! a code point in braces follows \u: \u{1F600}
"\u{}"                                            #! a code point in braces follows \u: \u{1F600}
'it''s'                                           #! strings are joined by +
'''a'''                                           #! text over lines stands between """ and """
"abc                                              #! the string is not closed on its line; text over several lines stands between """ and """
