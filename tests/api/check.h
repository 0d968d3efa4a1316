/* check - the few lines that every C host among the tests shares: counted checks, a state that
 * collects what is printed. Each test program is one file, so statics in a header do no harm. */
#ifndef TESTS_API_CHECK_H
#define TESTS_API_CHECK_H

#include "interp/arr.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int passed, failed;

#define CHECK(e)                                              \
    do {                                                      \
        if (e) {                                              \
            __atomic_add_fetch(&passed, 1, __ATOMIC_RELAXED); \
        } else {                                              \
            __atomic_add_fetch(&failed, 1, __ATOMIC_RELAXED); \
            printf("%s:%d: %s\n", __FILE__, __LINE__, #e);    \
        }                                                     \
    } while (0)

/* What a state printed. */
typedef struct Sink {
    char text[1 << 14];
    size_t n;
} Sink;

static inline void sink_write(void *user, const char *text, size_t n) {
    Sink *s = user;
    if (n > sizeof s->text - 1 - s->n) n = sizeof s->text - 1 - s->n;
    memcpy(s->text + s->n, text, n);
    s->n += n;
    s->text[s->n] = '\0';
}

static inline arr_state *open_into(Sink *s) {
    arr_config config = ARR_CONFIG_INIT;
    arr_state *A = NULL;
    config.threads = 1;
    config.write = sink_write;
    config.user = s;
    s->n = 0;
    s->text[0] = '\0';
    if (arr_open(&config, &A) != ARR_OK) {
        printf("no state can be opened\n0 passed, 1 failed, 0 skipped\n");
        exit(1);
    }
    return A;
}

/* Evaluate; true if it printed exactly this. */
static inline bool prints(arr_state *A, Sink *s, const char *text, const char *expected) {
    s->n = 0;
    s->text[0] = '\0';
    arr_status status = arr_eval(A, text, "test");
    if (status == ARR_OK && strcmp(s->text, expected) == 0) return true;
    printf("  %s\n  printed: %s  error: %s\n", text, s->text,
           status == ARR_OK ? "none\n" : arr_error_text(A));
    return false;
}

static inline int finish(void) {
    printf("%d passed, %d failed, 0 skipped\n", passed, failed);
    return failed != 0;
}

#endif
