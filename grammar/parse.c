/* parse - the driver: lexer to grammar to checks, and what "incomplete" means. */
#include "grammar/parse.h"
#include "grammar/lemon.h"
#include "gen/grammar/parse.h"
#include <string.h>

/* The next token; at p->stop it is only looked at. */
static void feed(Parser *p, int kind, Token tok) {
    p->prev_kind = p->kind;
    p->prev = p->tok;
    p->kind = kind;
    p->tok = tok;
    if (p->fed++ < p->stop)
        parse_lemon(p->lemon, kind, tok, p);
    else if (p->status == ARR_OK)
        p->status = ARR_ERR_SYNTAX;
}

/* Nothing but blanks and comments is left. */
static bool at_end(Parser *p) {
    Lexer rest = p->lx;
    int kind;
    Token tok;
    return lexer_next(&rest, &kind, &tok) == ARR_OK && kind == 0;
}

/* The grammar refused the end of the last line: is there more to come? Always where the text ends
 * without a newline. A newline that is written ends the statement, unless the lexer would join the
 * next line to it: then a conditional's `else` or a `catch` may follow, but no block's brace. */
static bool goes_on(Parser *p) {
    if (p->kind != TK_NEWLINE && p->kind != 0) return false;
    if (p->tok.lo == p->tok.hi) return true;
    return at_end(p) &&
           (parse_lemon_takes(p->lemon, TK_ELSE) || parse_lemon_takes(p->lemon, TK_CATCH));
}

/* The text ended inside a bracket. */
static Status not_closed(Parser *p) {
    const Lexer *lx = &p->lx;
    const Bracket *b = &lx->open[lx->depth];
    uint32_t line, column;
    lexer_place(lx->text, b->at, &line, &column);
    make_fail(p, make_span(p, b->at, b->at + 1), "the `%c` of line %u is not closed",
              lx->text[b->at], line);
    return ARR_INCOMPLETE;
}

/* All tokens are read. */
static Status finish(Parser *p, Token end) {
    if (p->lx.depth > 0) return not_closed(p);
    if (p->lx.waiting) {
        Token last = p->tok;
        make_fail(p, make_span(p, last.lo, last.hi), "the text ends behind `%.*s`",
                  (int)(last.hi - last.lo), p->lx.text + last.lo);
        return ARR_INCOMPLETE;
    }
    if (p->lx.last != 0 && p->lx.last != TK_NEWLINE) feed(p, TK_NEWLINE, end);
    if (p->status == ARR_OK) feed(p, 0, end);
    return p->status;
}

static Status run(Parser *p) {
    for (bool first = true;; first = false) {
        int kind;
        Token tok;
        Status st = lexer_next(&p->lx, &kind, &tok);
        if (st != ARR_OK) return p->lx.incomplete ? ARR_INCOMPLETE : st;
        if (p->fed % 256 == 0 && p->cx->interrupt) return error_interrupted(p->cx);
        if (kind == 0) return finish(p, tok);
        if (first && kind == TK_PIPE) feed(p, TK_LAST, (Token){.lo = tok.lo, .hi = tok.lo});
        if (p->status == ARR_OK) feed(p, kind, tok);
        if (p->status != ARR_OK) return p->status;
    }
}

static Status start(Parser *p, uint32_t src, const char *text, size_t n) {
    lexer_init(&p->lx, p->cx, p->arena, src, text, n);
    TRY(parse_lemon_new(p->cx, &p->lemon));
    return run(p);
}

/* The grammar refused `bad`'s last token, and has done reductions on the way that hide what it
 * would have taken. So all tokens before it are parsed once more. */
static Status explain(const Parser *bad, uint32_t src, const char *text, size_t n) {
    Parser p = {.cx = bad->cx, .arena = bad->arena, .stop = bad->fed - 1};
    Status st = start(&p, src, text, n);
    if (p.fed == bad->fed) {
        p.status = ARR_OK;
        st = explain_unexpected(&p);
        if (goes_on(&p)) st = ARR_INCOMPLETE;
    }
    parse_lemon_free(p.cx, p.lemon);
    return st;
}

/* --- dumps ------------------------------------------------------------------------------------ */

static void dump_token(Buf *out, const char *text, int kind, Token tok, uint32_t line,
                       uint32_t col) {
    buf_printf(out, "%u:%u %s", line, col, lexer_kind_name(kind));
    if (kind != TK_NEWLINE && kind != 0) buf_char(out, ' ');
    for (uint32_t i = tok.lo; i < tok.hi && kind != TK_NEWLINE; i++) {
        if (text[i] == '\n')
            buf_str(out, "\\n");
        else if (text[i] != '\r')
            buf_char(out, text[i]);
    }
    buf_char(out, '\n');
}

Status parse_dump_tokens(Cx *cx, uint32_t src, const char *text, size_t n, Buf *out) {
    Arena arena;
    Lexer lx;
    uint32_t line = 1, start = 0, seen = 0; /* the line begins at start; seen: counted so far */
    int kind = -1;
    Status st = ARR_OK;
    TRY(lexer_check_text(cx, src, text, n));
    arena_init(&arena, cx);
    lexer_init(&lx, cx, &arena, src, text, n);
    while (st == ARR_OK && kind != 0) {
        Token tok;
        st = lexer_next(&lx, &kind, &tok);
        if (st != ARR_OK) break;
        for (; seen < tok.lo; seen++) {
            if (text[seen] != '\n') continue;
            line++;
            start = seen + 1;
        }
        uint32_t one, column;
        lexer_place(text + start, tok.lo - start, &one, &column);
        dump_token(out, text, kind, tok, line, column);
    }
    arena_free(&arena);
    return st == ARR_OK ? buf_status(out) : st;
}

static void send(Cx *cx, Buf *b) {
    if (cx->dump && b->len) cx->dump(cx->user, b->data, b->len);
}

static void dump_tokens(Cx *cx, uint32_t src, const char *text, size_t n) {
    Buf b;
    buf_init(&b, cx);
    parse_dump_tokens(cx, src, text, n, &b); /* its error is met again by the parse itself */
    send(cx, &b);
    buf_free(&b);
}

static Status dump_tree(Cx *cx, const AstNode *root) {
    Buf b;
    buf_init(&b, cx);
    ast_dump(&b, root);
    send(cx, &b);
    Status st = buf_status(&b);
    buf_free(&b);
    return st;
}

/* --- entries ---------------------------------------------------------------------------------- */

static Status parse(Parser *p, uint32_t src, const char *text, size_t n, bool in_fn) {
    Cx *cx = p->cx;
    TRY(lexer_check_text(cx, src, text, n));
    if (cx->opts.dump & DUMP_TOKENS) dump_tokens(cx, src, text, n);
    Status st = start(p, src, text, n);
    parse_lemon_free(cx, p->lemon);
    if (p->refused) st = explain(p, src, text, n);
    TRY(st);
    TRY(check_places(cx, p->root, in_fn));
    return cx->opts.dump & DUMP_AST ? dump_tree(cx, p->root) : ARR_OK;
}

Status parse_source(Cx *cx, Arena *arena, uint32_t src, const char *text, size_t n, AstNode **out) {
    Parser p = {.cx = cx, .arena = arena, .stop = UINT64_MAX};
    *out = NULL;
    TRY(parse(&p, src, text, n, false));
    *out = p.root;
    return ARR_OK;
}

Status parse_body(Cx *cx, Arena *arena, uint32_t src, const char *text, size_t n,
                  const char *const *params, int nparams, AstNode **out) {
    Parser p = {.cx = cx, .arena = arena, .stop = UINT64_MAX};
    *out = NULL;
    TRY(parse(&p, src, text, n, true));
    *out = make_body(&p, p.root, params, nparams);
    return p.status;
}

bool parse_is_keyword(const char *name, size_t n) {
    int kind;
    return lexer_keyword(name, n, &kind);
}

const char *parse_keyword(size_t i) { return lexer_keyword_at(i); }
