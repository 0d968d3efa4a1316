/* fuzz_parse - libFuzzer target: any bytes as a source, through the lexer, the grammar and the
 * dumps. Invariant: whatever the input, a status comes back, an error is set exactly if it is not
 * ARR_OK, and no memory is left. */
#include "grammar/parse.h"

#include <stdlib.h>
#include <string.h>

static void must(int ok) {
    if (!ok) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    Cx cx;
    Arena arena;
    AstNode *root;
    Buf b;
    memset(&cx, 0, sizeof cx);
    mem_init(&cx.mem, NULL, NULL);
    arena_init(&arena, &cx);
    buf_init(&b, &cx);
    Status st = parse_source(&cx, &arena, 1, (const char *)data, n, &root);
    must((st == ARR_OK) == (root != NULL) && (st == ARR_OK) == (cx.err.status == ARR_OK));
    if (root) {
        ast_dump(&b, root);
        must(b.len > 0 && parse_dump_tokens(&cx, 1, (const char *)data, n, &b) == ARR_OK);
    } else {
        must(cx.err.message[0] && cx.err.span.lo <= cx.err.span.hi);
    }
    buf_free(&b);
    arena_free(&arena);
    must(atomic_load(&cx.mem.live) == 0);
    return 0;
}
