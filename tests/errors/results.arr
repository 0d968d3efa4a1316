#: script
# A script's lines must come to something.

x = [3, 1, 2]
fn check(f) {
    try { f() } catch err { return err.kind + ": " + err.message }
    return "no error"
}
print(check(fn() { x.sum() }))                    #=> value: the result of x.sum() is not used: arguments are values, write x = x.sum()
print(check(fn() { sorted(x) }))                  #=> value: the result of sorted(x) is not used: arguments are values, write x = sorted(x)
print(check(fn() { 1 + 2 }))                      #=> value: the result of 1 + 2 is not used: write x = 1 + 2, or print(1 + 2)
print(check(fn() { print("fine") }))              #=> fine
                                                  #=> no error
print(check(fn() { eval(x + 1) }))                #=> no error
