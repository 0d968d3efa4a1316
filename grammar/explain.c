/* explain - the error for a token that the grammar cannot take, in the words of someone who comes
 * from Python, C or MATLAB. Callers: parse.y, once a parse. What is known: the token, the one
 * before, the open brackets with the first token of the statement inside each, and which tokens the
 * grammar would take instead. The first rule that fits speaks. */
#include "grammar/lemon.h"
#include "gen/grammar/parse.h"
#include <string.h>

typedef struct Word {
    const char *word, *message;
} Word;

/* Other languages' words that begin a statement or an expression. */
static const Word leading[] = {
    {"lambda", "there is no lambda: a function is written fn(x) = e"},
    {"def", "there is no def: a function is written fn f(x) = e or fn f(x) { ... }"},
    {"function", "a function is written fn f(x) = e or fn f(x) { ... }"},
    {"func", "a function is written fn f(x) = e or fn f(x) { ... }"},
    {"class", "there are no classes: named values are kept in a record, record(x=1, y=2)"},
    {"struct", "named values are kept in a record, record(x=1, y=2)"},
    {"from", "a module is imported whole: import name, or import \"file.arr\" as m"},
    {"let", "a name is bound by x = e alone"},
    {"var", "a name is bound by x = e alone"},
    {"const", "a name is bound by x = e alone"},
    {"print", "print is a function: print(x)"},
    {"raise", "an error is raised by a call: error(\"message\")"},
    {"throw", "an error is raised by a call: error(\"message\")"},
    {"except", "errors are caught by try { ... } catch err { ... }"},
    {"with", "there is no with: a file is read whole by load(\"file\")"},
    {"global",
     "a function cannot change its file's names: take them as arguments, return what changed"},
    {"nonlocal",
     "a function cannot change outer names: take them as arguments, return what changed"},
    {"yield", "there are no generators: return a tuple or an array"},
    {"switch", "there is no switch: if ... { } elif ... { } else { }"},
    {"match", "there is no match: if ... { } elif ... { } else { }"},
    {"elseif", "elif is the word: if ... { } elif ... { }"},
    {"elsif", "elif is the word: if ... { } elif ... { }"},
    {"end", "blocks end with }"},
    {"foreach", "a loop over values is written for x in e { ... }"},
    {"until", "there is no until: while not ... { }"},
};

/* The same, between two values or behind one. */
static const Word inner[] = {
    {"is", "== compares, x == none included; there is no is"},
    {"then", "a block is written { ... }: if c { ... }"},
    {"do", "a block is written { ... }: while c { ... }"},
    {"except", "errors are caught by catch err { ... }"},
    {"finally", "there is no finally: write it behind the try"},
    {"elseif", "elif is the word: if ... { } elif ... { }"},
    {"mod", "the remainder is written %, or mod as a function of your own"},
    {"xor", "exclusive or is written ^ for arrays, a != b for two booleans"},
    {"isnot", "!= compares"},
};

static const char *find_word(const Word *table, size_t n, int kind, const Token *t) {
    for (size_t i = 0; kind == TK_NAME && i < n; i++) {
        if (strcmp(table[i].word, t->text->data) == 0) return table[i].message;
    }
    return NULL;
}
#define FIND(table, kind, t) find_word(table, sizeof table / sizeof *table, kind, t)

/* A token's text for messages: short, on one line. */
static const char *shown(const Parser *p, int kind, const Token *t, char out[48]) {
    const char *s = p->lx.text + t->lo;
    size_t n = t->hi - t->lo, cut = 0;
    if (kind == 0) return strcpy(out, "the end of the text");
    if (kind == TK_NEWLINE) return strcpy(out, "the end of the line");
    if (kind == TK_FTEXT || kind == TK_FSTART || kind == TK_FEND) return strcpy(out, "an f-string");
    while (cut < n && s[cut] != '\n' && cut < 32) cut++;
    while (cut < n && cut > 0 && ((unsigned char)s[cut] & 0xC0) == 0x80) cut--;
    out[0] = '`';
    memcpy(out + 1, s, cut);
    strcpy(out + 1 + cut, cut < n ? "...`" : "`");
    return out;
}

static bool ends_value(int kind) {
    switch (kind) {
    case TK_NAME:
    case TK_INT:
    case TK_FLOAT:
    case TK_IMAG:
    case TK_STRING:
    case TK_FEND:
    case TK_RP:
    case TK_RS:
    case TK_TRUE:
    case TK_FALSE:
    case TK_NONE:
    case TK_DOTS: return true;
    default: return false;
    }
}

static bool begins_value(int kind) {
    switch (kind) {
    case TK_NAME:
    case TK_INT:
    case TK_FLOAT:
    case TK_IMAG:
    case TK_STRING:
    case TK_FSTART:
    case TK_TRUE:
    case TK_FALSE:
    case TK_NONE:
    case TK_DOTS:
    case TK_TILDE: return true;
    default: return false;
    }
}

static bool has_block(int head) {
    switch (head) {
    case TK_IF:
    case TK_ELIF:
    case TK_ELSE:
    case TK_WHILE:
    case TK_FOR:
    case TK_TRY:
    case TK_CATCH:
    case TK_FN: return true;
    default: return false;
    }
}

static uint32_t line_of(const Parser *p, uint32_t at) {
    uint32_t line, column;
    lexer_place(p->lx.text, at, &line, &column);
    return line;
}

static bool takes(const Parser *p, int kind) { return parse_lemon_takes(p->lemon, kind); }

static bool at_statement(const Parser *p) {
    int prev = p->prev_kind;
    return prev == 0 || prev == TK_NEWLINE || prev == TK_SEMI || prev == TK_LB || prev == TK_RB;
}

static bool is_keyword(const Parser *p, const Token *t) {
    int kind;
    return lexer_keyword(p->lx.text + t->lo, t->hi - t->lo, &kind);
}

/* --- rules: the message, or NULL where they do not fit ---------------------------------------- */

static const char *at_line_end(const Parser *p, int head) {
    if (p->kind != 0 && p->kind != TK_NEWLINE) return NULL;
    if (p->prev_kind == TK_CATCH) return "a name for the error is missing: catch err { ... }";
    if (p->prev_kind == TK_DOT) return "a field's name follows the point on the same line";
    if (takes(p, TK_LB) && has_block(head)) {
        return "a block is missing: its `{` stands on the line of its head";
    }
    if (takes(p, TK_CATCH)) return "a catch is missing: try { ... } catch err { ... }";
    if (takes(p, TK_ELSE) && !takes(p, TK_NEWLINE)) {
        return "an else is missing: a conditional is written a if c else b";
    }
    if (takes(p, TK_AS)) return "a name for the file is missing: import \"file.arr\" as m";
    return NULL;
}

static const char *of_keywords(const Parser *p, int bracket) {
    int prev = p->prev_kind;
    if (takes(p, TK_NAME) && !takes(p, TK_INT)) return NULL; /* a name was meant */
    switch (p->kind) {
    case TK_IF:
        if (prev == TK_ELSE) return "else with a condition is written elif";
        return at_statement(p) || ends_value(prev) ? NULL
                                                   : "a conditional is written a if c else b";
    case TK_FOR:
        if (bracket != BR_PAREN && bracket != BR_INDEX) return NULL;
        return "there are no comprehensions: map(fn(x) = e, xs) gives a tuple, array operations "
               "need no loop";
    case TK_ELIF: return "elif stands behind the } of an if";
    case TK_ELSE: return "else stands behind the } of an if, or in a if c else b";
    case TK_CATCH: return "catch stands behind the } of a try";
    case TK_FN:
        if (prev == TK_PIPE)
            return "right of |> a function stands in parentheses: x |> (fn(v) = v + 1)";
        if (lexer_is_operator(prev))
            return "a function among operators stands in parentheses: (fn(x) = e)";
        return NULL;
    case TK_NOT:
        return lexer_is_operator(prev) ? "`not` among operators stands in parentheses: (not a)"
                                       : NULL;
    default: return NULL;
    }
}

static const char *of_signs(const Parser *p, int head, int bracket) {
    int prev = p->prev_kind;
    switch (p->kind) {
    case TK_COLON:
        if (has_block(head)) {
            return "a block is written { ... }, not behind a `:`";
        }
        if (bracket == BR_PAREN)
            return "an argument is named by `=`: f(a=1); parameters have no types";
        if (bracket == BR_BLOCK)
            return "a record is written record(a=1, b=2): braces hold statements";
        return "`:` stands in an index only: a[lo:hi]";
    case TK_LB:
        if (prev == TK_IF || prev == TK_ELIF || prev == TK_WHILE) return "a condition is missing";
        if (lexer_is_operator(prev) || prev == TK_COMMA || prev == TK_LP || prev == TK_LS ||
            prev == TK_RETURN) {
            return "a record is written record(a=1, b=2): braces hold statements";
        }
        return "a block stands behind if, elif, else, while, for, try, catch or fn";
    case TK_EQ:
        if (lexer_is_operator(prev) || prev == TK_COMMA || is_keyword(p, &p->prev)) return NULL;
        if (bracket == BR_HOLE) return "there is no {x=}: write f\"x = {x}\"";
        return "an assignment is a statement of its own; == compares";
    case TK_OPEQ: return ends_value(prev) ? "an assignment is a statement of its own" : NULL;
    case TK_COMMA:
        if (head != TK_FN || !ends_value(prev) || bracket == BR_PAREN) return NULL;
        return "several results stand in parentheses: fn f(x) = (a, b)";
    case TK_PLUS: return ends_value(prev) ? NULL : "there is no unary +";
    case TK_MULOP:
        if (p->tok.op == OP_floordiv && at_statement(p)) {
            return "a comment begins with # and ends with its line";
        }
        if (p->tok.op != OP_mul || (prev != TK_LP && prev != TK_COMMA)) return NULL;
        return "a tuple is spread over arguments by f(xs...)";
    case TK_POW:
        if (prev != TK_LP && prev != TK_COMMA) return NULL;
        return "arguments are named one by one: f(a=1, b=2)";
    case TK_RS: return prev == TK_LS ? "an index is missing" : NULL;
    case TK_STRING: return prev == TK_STRING ? "strings are joined by +" : NULL;
    default: return NULL;
    }
}

static const char *of_places(const Parser *p, int head) {
    switch (p->prev_kind) {
    case TK_DOT: return "a field's name follows the point";
    case TK_CATCH: return "a name for the error is missing: catch err { ... }";
    case TK_IMPORT: return "import takes a name or a file: import name, import \"file.arr\" as m";
    case TK_FN: return "parameters stand in parentheses: fn f(x) = e, fn(x) = e";
    default: break;
    }
    if (head == TK_IMPORT && p->kind == TK_DOT) {
        return "a module is imported whole: import numpy, then numpy.linalg.norm(x)";
    }
    if (head == TK_FN && takes(p, TK_LP) && !takes(p, TK_DOT)) {
        return "parameters stand in parentheses: fn f(x) = e, fn(x) = e";
    }
    if (takes(p, TK_LB) && takes(p, TK_EQ)) return "a function's body is `= e` or `{ ... }`";
    return NULL;
}

/* A bracket opened on an earlier line, and a line that looks like a new statement inside it. */
static bool say_unclosed(Parser *p, const Bracket *b, Span at) {
    if (b->kind != BR_PAREN && b->kind != BR_INDEX) return false;
    uint32_t opened = line_of(p, b->at);
    bool new_line =
        p->prev.hi <= p->tok.lo && memchr(p->lx.text + p->prev.hi, '\n', p->tok.lo - p->prev.hi);
    if (!new_line && p->kind != TK_SEMI && p->kind != TK_LB) return false;
    if (!new_line && p->kind == TK_SEMI && b->kind == BR_INDEX) {
        make_fail(p, at, "rows stand in brackets of their own: [[1, 2], [3, 4]]");
        return true;
    }
    char text[48];
    make_fail(p, at, "the `%c` of line %u is not closed before %s", p->lx.text[b->at], opened,
              shown(p, p->kind, &p->tok, text));
    return true;
}

/* Messages that quote the tokens. */
static void say_tokens(Parser *p, Span at) {
    char a[48], b[48];
    shown(p, p->prev_kind, &p->prev, a);
    shown(p, p->kind, &p->tok, b);
    bool keyword = is_keyword(p, &p->tok) && takes(p, TK_NAME);
    if (keyword || (p->kind == TK_EQ && is_keyword(p, &p->prev))) {
        make_fail(p, at, "%s is a keyword, no name", keyword ? b : a);
    } else if (p->kind == 0 || p->kind == TK_NEWLINE) {
        make_fail(p, at, "something is missing behind %s", a);
    } else if (lexer_is_operator(p->prev_kind) && !begins_value(p->kind)) {
        make_fail(p, at, "an operand is missing between %s and %s", a, b);
    } else if (ends_value(p->prev_kind) && begins_value(p->kind)) {
        make_fail(p, at, "an operator or a comma is missing between %s and %s", a, b);
    } else if (p->prev_kind != 0 && p->prev_kind != TK_NEWLINE) {
        make_fail(p, at, "%s cannot stand behind %s", b, a);
    } else {
        make_fail(p, at, "%s cannot begin a statement", b);
    }
}

Status explain_unexpected(Parser *p) {
    const Lexer *lx = &p->lx;
    const Bracket *b = &lx->open[lx->depth];
    bool opens = lx->depth > 0 && b->at == p->tok.lo; /* the token itself opened it */
    const Bracket *around = opens ? b - 1 : b;
    Span at = make_span(p, p->tok.lo, p->tok.hi);
    const char *m = FIND(leading, p->prev_kind, &p->prev);
    if (m && !begins_value(p->kind) && p->kind != TK_COLON && p->kind != TK_LB) m = NULL;
    if (m) at = make_span(p, p->prev.lo, p->prev.hi);
    if (!m && (ends_value(p->prev_kind) || p->prev_kind == TK_RB))
        m = FIND(inner, p->kind, &p->tok);
    if (!m) m = at_line_end(p, around->head);
    if (!m && say_unclosed(p, around, at)) return p->status;
    if (!m) m = of_keywords(p, around->kind);
    if (!m && !is_keyword(p, &p->tok)) m = of_places(p, around->head);
    if (!m) m = of_signs(p, around->head, around->kind);
    if (m)
        make_fail(p, at, "%s", m);
    else
        say_tokens(p, at);
    return p->status;
}
