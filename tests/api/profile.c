/* C host: the table of what ran. A draw is drawn once more where it is read a second time, and kept
 * from then on; steps are counted while the switch is on, and the table begins anew when read. */
#include "interp/arr.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int passed, failed;
static void check(int ok, const char *what) {
    if (ok) {
        passed++;
    } else {
        failed++;
        printf("profile: %s\n", what);
    }
}

/* The count of the row with these operations, 0 if there is none. */
static long count(const char *table, const char *operations) {
    size_t n = strlen(operations);
    for (const char *line = table; line && *line; line = strchr(line, '\n')) {
        line += *line == '\n';
        const char *what = line + 8;
        if (strlen(line) > 8 && strncmp(what, operations, n) == 0 && what[n] == ' ' &&
            (what[n + 1] == ' ' || (what[n + 1] >= '0' && what[n + 1] <= '9')))
            return strtol(what + n, NULL, 10);
    }
    return 0;
}

int main(void) {
    arr_state *A;
    const char *text = NULL;
    check(arr_profile(NULL, &text) == ARR_ERR_ARGUMENT, "no state");
    if (arr_open(NULL, &A) != ARR_OK) return 1;
    check(arr_profile(A, NULL) == ARR_ERR_ARGUMENT, "no place for the text");
    check(arr_eval(A, "print(sum(rand(100)))", "t") == ARR_OK, "not profiled");
    check(arr_profile(A, &text) == ARR_OK && strstr(text, "nothing"), "nothing while it is off");
    check(arr_set_switch(A, "profile", "1") == ARR_OK, "on");
    check(arr_eval(A, "a = rand(1000); for i in range(5) { print(sum(a)) }", "t") == ARR_OK, "run");
    check(arr_eval(A, "b = ones(50, 50); print((b @ b)[0, 0])", "t") == ARR_OK, "product");
    /* a function of equal constants is computed once, cheap operations keep one kernel for all */
    check(arr_eval(A, "print(sum(exp(b * 0.5) + exp(b * 0.5)))", "t") == ARR_OK, "equal constants");
    check(arr_eval(A, "print(sum(exp(b * 0.5) + exp(b * 0.6)))", "t") == ARR_OK, "different ones");
    check(arr_eval(A, "print(max(b * 0.5 - b * 0.5))", "t") == ARR_OK, "equal ones, cheap");
    check(arr_profile(A, &text) == ARR_OK, "table");
    check(count(text, "uniform sum") == 2, "drawn twice");
    check(count(text, "sum") == 3, "and read from memory then");
    check(count(text, "matmul") == 1, "the product");
    check(count(text, "mul exp add sum") == 1, "one exp");
    check(count(text, "mul exp mul exp add sum") == 1, "two of them");
    check(count(text, "mul mul sub max") == 1, "two products");
    if (failed) puts(text);
    check(arr_profile(A, &text) == ARR_OK && strstr(text, "nothing"), "it begins anew");
    check(arr_set_switch(A, "profile", "0") == ARR_OK, "off");
    arr_close(A);
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
