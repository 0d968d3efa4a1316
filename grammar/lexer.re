/* lexer - the rules, by re2c. Reading stops at the end pointer: peek() gives 0 there, and a source
 * holds no NUL bytes. What needs more than a pattern (strings, numbers' values, newlines) is in
 * text.c and below. */
#include "grammar/lexer.h"
#include "grammar/text.h"
#include "gen/grammar/parse.h"
#include "runtime/base/numtext.h"
#include <string.h>

/*!re2c
    re2c:api = custom;
    re2c:api:style = free-form;
    re2c:yyfill:enable = 0;
    re2c:define:YYCTYPE = "unsigned char";
    re2c:define:YYPEEK = "peek(lx, cur)";
    re2c:define:YYSKIP = "cur++;";
    re2c:define:YYBACKUP = "mark = cur;";
    re2c:define:YYRESTORE = "cur = mark;";

    blank = [ \t\r\f\v];
    word  = [A-Za-z_][A-Za-z_0-9]*;
    dec   = [0-9] ("_"? [0-9])*;
    exp   = [eE] [+-]? dec;
    float = dec "." dec exp? | "." dec exp? | dec exp;
    hex   = "0" [xX] ("_"? [0-9a-fA-F])+;
    bin   = "0" [bB] ("_"? [01])+;
    oct   = "0" [oO] ("_"? [0-7])+;
*/

static unsigned char peek(const Lexer *lx, uint32_t at) {
    return at < lx->n ? (unsigned char)lx->text[at] : 0;
}

static bool is_word_char(unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* Keywords, in the order of help. */
static const struct {
    const char *word;
    int kind;
} keywords[] = {
    {"if", TK_IF}, {"elif", TK_ELIF}, {"else", TK_ELSE}, {"while", TK_WHILE}, {"for", TK_FOR},
    {"in", TK_IN}, {"break", TK_BREAK}, {"continue", TK_CONTINUE}, {"fn", TK_FN},
    {"return", TK_RETURN}, {"try", TK_TRY}, {"catch", TK_CATCH}, {"assert", TK_ASSERT},
    {"import", TK_IMPORT}, {"as", TK_AS}, {"del", TK_DEL}, {"and", TK_AND}, {"or", TK_OR},
    {"not", TK_NOT}, {"true", TK_TRUE}, {"false", TK_FALSE}, {"none", TK_NONE},
};

bool lexer_keyword(const char *name, size_t n, int *kind) {
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++) {
        if (strlen(keywords[i].word) == n && memcmp(keywords[i].word, name, n) == 0) {
            *kind = keywords[i].kind;
            return true;
        }
    }
    return false;
}

const char *lexer_keyword_at(size_t i) {
    return i < sizeof keywords / sizeof *keywords ? keywords[i].word : NULL;
}

const char *lexer_kind_name(int kind) {
    static const char *const names[] = {
        [0] = "END",
#define KIND(name) [TK_##name] = #name
        KIND(NEWLINE), KIND(SEMI),   KIND(COMMA),  KIND(COLON),  KIND(DOT),      KIND(DOTS),
        KIND(EQ),      KIND(OPEQ),   KIND(PIPE),   KIND(CMP),    KIND(BOR),      KIND(BXOR),
        KIND(BAND),    KIND(SHIFT),  KIND(PLUS),   KIND(MINUS),  KIND(MULOP),    KIND(TILDE),
        KIND(POW),     KIND(LP),     KIND(RP),     KIND(LS),     KIND(RS),       KIND(LB),
        KIND(RB),      KIND(NAME),   KIND(INT),    KIND(FLOAT),  KIND(IMAG),     KIND(STRING),
        KIND(FSTART),  KIND(FTEXT),  KIND(FEND),   KIND(LHOLE),  KIND(RHOLE),    KIND(FSPEC),
        KIND(LAST),    KIND(IF),     KIND(ELIF),   KIND(ELSE),   KIND(WHILE),    KIND(FOR),
        KIND(IN),      KIND(BREAK),  KIND(FN),     KIND(RETURN), KIND(CONTINUE), KIND(TRY),
        KIND(CATCH),   KIND(ASSERT), KIND(IMPORT), KIND(AS),     KIND(DEL),      KIND(AND),
        KIND(OR),      KIND(NOT),    KIND(TRUE),   KIND(FALSE),  KIND(NONE),
#undef KIND
    };
    return kind >= 0 && (size_t)kind < sizeof names / sizeof *names ? names[kind] : "?";
}

/* --- newlines --------------------------------------------------------------------------------- */

static bool starts_statement(int last) {
    return last == 0 || last == TK_NEWLINE || last == TK_SEMI || last == TK_LB || last == TK_RB;
}

bool lexer_is_operator(int kind) {
    switch (kind) {
    case TK_PLUS:
    case TK_MINUS:
    case TK_MULOP:
    case TK_POW:
    case TK_SHIFT:
    case TK_BAND:
    case TK_BOR:
    case TK_BXOR:
    case TK_TILDE:
    case TK_CMP:
    case TK_IN:
    case TK_AND:
    case TK_OR:
    case TK_NOT:
    case TK_PIPE:
    case TK_EQ:
    case TK_OPEQ: return true;
    default: return false;
    }
}

/* Does this token ask for more on the next line? Not the `if` that begins a statement and the
 * `else` behind a block: their brace stands on their line. */
static bool continues(const Lexer *lx, int kind) {
    if (kind == TK_IF) return !starts_statement(lx->last);
    if (kind == TK_ELSE) return lx->last != TK_RB;
    return kind == TK_COMMA || lexer_is_operator(kind);
}

/* Where the next line that says something begins, if that belongs to the statement before it; else
 * 0. */
static uint32_t line_continues(const Lexer *lx, uint32_t cur) {
    uint32_t start, mark;
    for (;;) {
        start = cur;
        /*!re2c
            (blank | "\n")+            { continue; }
            "#" [^\n\x00]*             { continue; }
            "|>" | "." [A-Za-z_]       { return start; }
            "else" | "elif" | "catch"  { return is_word_char(peek(lx, cur)) ? 0 : start; }
            *                          { return 0; }
        */
    }
}

/* Does the newline before *cur end a statement? If lines are joined, *cur moves to the next one, so
 * that what lies between is looked at once. */
static bool newline_counts(const Lexer *lx, uint32_t *cur) {
    int kind = lx->open[lx->depth].kind;
    if (kind != BR_NONE && kind != BR_BLOCK) return false;
    if (lx->waiting || lx->last == 0 || lx->last == TK_NEWLINE || lx->last == TK_SEMI ||
        lx->last == TK_LB) {
        return false;
    }
    uint32_t next = line_continues(lx, *cur);
    if (next) *cur = next;
    return next == 0;
}

/* --- brackets --------------------------------------------------------------------------------- */

Status lexer_open(Lexer *lx, BracketKind kind, uint32_t at) {
    if (lx->depth == AST_NEST_MAX) {
        return error_set(lx->cx, ARR_ERR_LIMIT, (Span){lx->src, at, at + 1},
                         "brackets are nested deeper than %d", AST_NEST_MAX);
    }
    const Bracket *outer = &lx->open[lx->depth++];
    lx->open[lx->depth] =
        (Bracket){.kind = (uint8_t)kind, .quote = outer->quote, .triple = outer->triple, .at = at};
    return ARR_OK;
}

static Status close_bracket(Lexer *lx, BracketKind kind, uint32_t at) {
    static const char *const opener[] = {[BR_PAREN] = "(", [BR_INDEX] = "[", [BR_BLOCK] = "{",
                                         [BR_HOLE] = "{"};
    Span span = {lx->src, at, at + 1};
    char c = lx->text[at];
    const Bracket *b = &lx->open[lx->depth];
    if (b->kind == kind) {
        lx->depth--;
        return ARR_OK;
    }
    if (lx->depth == 0) {
        return error_set(lx->cx, ARR_ERR_SYNTAX, span, "`%c` closes nothing", c);
    }
    uint32_t line, column;
    lexer_place(lx->text, b->at, &line, &column);
    return error_set(lx->cx, ARR_ERR_SYNTAX, span,
                     "`%c` does not close the `%s` of line %u, column %u", c, opener[b->kind], line,
                     column);
}

/* --- values ----------------------------------------------------------------------------------- */

static Status no_memory(Lexer *lx, size_t n) { return error_memory(lx->cx, n); }

static Status read_name(Lexer *lx, Token *tok) {
    AstText *t = arena_alloc(lx->arena, sizeof *t);
    if (!t) return no_memory(lx, sizeof *t);
    t->len = tok->hi - tok->lo;
    t->data = arena_strdup(lx->arena, lx->text + tok->lo, t->len);
    if (!t->data) return no_memory(lx, t->len);
    tok->text = t;
    return ARR_OK;
}

static int digit_value(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    return (c | 32) - 'a' + 10;
}

static Status read_int(Lexer *lx, Token *tok, unsigned base) {
    const char *s = lx->text + tok->lo, *end = lx->text + tok->hi;
    Span span = {lx->src, tok->lo, tok->hi};
    if (base != 10) s += 2;
    bool zeros = base == 10 && end - s > 1 && *s == '0';
    uint64_t u = 0;
    for (; s < end; s++) {
        if (*s == '_') continue;
        if (__builtin_mul_overflow(u, base, &u) ||
            __builtin_add_overflow(u, (unsigned)digit_value(*s), &u)) {
            return error_set(lx->cx, ARR_ERR_SYNTAX, span,
                             "an integer literal beyond 2^64-1: write a float, 1e20");
        }
    }
    if (zeros && u != 0) {
        return error_set(lx->cx, ARR_ERR_SYNTAX, span,
                         "an integer does not begin with 0: octal is written 0o17");
    }
    tok->u = u;
    return ARR_OK;
}

static Status read_float(Lexer *lx, Token *tok, uint32_t hi) {
    char small[64], *digits = small;
    size_t n = 0, cap = hi - tok->lo;
    if (cap > sizeof small && !(digits = arena_alloc(lx->arena, cap))) return no_memory(lx, cap);
    for (uint32_t i = tok->lo; i < hi; i++) {
        if (lx->text[i] != '_') digits[n++] = lx->text[i];
    }
    numtext_parse_f64(digits, n, &tok->f);
    return ARR_OK;
}

/* A number with something glued to it. */
static Status bad_number(Lexer *lx, Token *tok) {
    int n = (int)(tok->hi - tok->lo), digits = 0;
    const char *s = lx->text + tok->lo;
    Span span = {lx->src, tok->lo, tok->hi};
    while (digits < n && ((s[digits] >= '0' && s[digits] <= '9') || s[digits] == '.')) digits++;
    bool prefix = digits == 1 && s[0] == '0' && strchr("xXbBoO", s[1]);
    if (n > 40 || prefix || s[digits] == '_' || (s[digits] | 32) == 'e') {
        return error_set(lx->cx, ARR_ERR_SYNTAX, span, "%.*s%s is not a number", n > 40 ? 40 : n, s,
                         n > 40 ? "..." : "");
    }
    return error_set(lx->cx, ARR_ERR_SYNTAX, span,
                     "%.*s is not a number: a product is written %.*s * %.*s", n, s, digits, s,
                     n - digits, s + digits);
}

/* 1.e3 */
static Status bad_point(Lexer *lx, Token *tok) {
    const char *s = lx->text + tok->lo, *point = memchr(s, '.', tok->hi - tok->lo);
    int whole = (int)(point - s), rest = (int)(tok->hi - tok->lo) - whole - 1;
    if (whole + rest > 40) whole = rest = 0;
    return error_set(lx->cx, ARR_ERR_SYNTAX, (Span){lx->src, tok->lo, tok->hi},
                     "a digit is missing after the point: write %.*s%.*s", whole, s, rest,
                     point + 1);
}

/* `#` lines directly above a top-level `fn`. Nothing of the last statement may stand on them. */
static Status read_doc(Lexer *lx, Token *tok) {
    tok->text = NULL;
    if (lx->depth != 0 || !starts_statement(lx->last)) return ARR_OK;
    return text_doc(lx, tok->lo, &tok->text);
}

/* --- rules ------------------------------------------------------------------------------------ */

static Status fail(Lexer *lx, const Token *tok, const char *message) {
    return error_set(lx->cx, ARR_ERR_SYNTAX, (Span){lx->src, tok->lo, tok->hi}, "%s", message);
}

#define GIVE(k)                                                                                    \
    do {                                                                                           \
        tok->hi = lx->pos = cur;                                                                   \
        *kind = (k);                                                                               \
        return ARR_OK;                                                                             \
    } while (0)
#define GIVE_OP(k, o)                                                                              \
    do {                                                                                           \
        tok->op = (o);                                                                             \
        GIVE(k);                                                                                   \
    } while (0)
#define GIVE_READ(k, read)                                                                         \
    do {                                                                                           \
        tok->hi = lx->pos = cur;                                                                   \
        *kind = (k);                                                                               \
        return read;                                                                               \
    } while (0)
#define FAIL(message)                                                                              \
    do {                                                                                           \
        tok->hi = cur;                                                                             \
        return fail(lx, tok, message);                                                             \
    } while (0)

/* One token of code. */
static Status next_code(Lexer *lx, int *kind, Token *tok) {
    uint32_t cur = lx->pos, mark;
    for (;;) {
        tok->lo = cur;
        /*!re2c
            blank+              { continue; }
            "#" [^\n\x00]*      { continue; }
            "\n"                { if (newline_counts(lx, &cur)) GIVE(TK_NEWLINE); continue; }
            "\x00"              { cur = tok->lo; GIVE(0); }

            word                { break; }

            dec                 { GIVE_READ(TK_INT, read_int(lx, tok, 10)); }
            hex                 { GIVE_READ(TK_INT, read_int(lx, tok, 16)); }
            bin                 { GIVE_READ(TK_INT, read_int(lx, tok, 2)); }
            oct                 { GIVE_READ(TK_INT, read_int(lx, tok, 8)); }
            float               { GIVE_READ(TK_FLOAT, read_float(lx, tok, cur)); }
            (dec | float) [jJ]  { GIVE_READ(TK_IMAG, read_float(lx, tok, cur - 1)); }
            dec "."             {
                unsigned char c = peek(lx, cur);
                if (!is_word_char(c) && c != '.') GIVE_READ(TK_FLOAT, read_float(lx, tok, cur));
                cur--;
                GIVE_READ(TK_INT, read_int(lx, tok, 10));
            }
            dec "." [jJ]        {
                if (!is_word_char(peek(lx, cur))) FAIL("an imaginary number is written 2j or 2.0j");
                cur -= 2;
                GIVE_READ(TK_INT, read_int(lx, tok, 10));
            }
            dec "." exp         {
                tok->hi = cur;
                return bad_point(lx, tok);
            }
            (dec | float | hex | bin | oct) [A-Za-z_0-9]+ {
                tok->hi = cur;
                return bad_number(lx, tok);
            }

            [fF]? ["']          { lx->pos = cur; return text_open(lx, kind, tok); }
            [fF]? ["]["]["]     { lx->pos = cur; return text_open(lx, kind, tok); }
            "'''"               { FAIL("text over lines stands between \"\"\" and \"\"\""); }
            [rRbBuU] [fFbBrR]? ["'] {
                const Bracket *b = &lx->open[lx->depth];
                if (b->kind == BR_HOLE && lx->text[cur - 1] == b->quote) {
                    FAIL("the `{` of an f-string is not closed before its quote");
                }
                FAIL("strings have no prefix but f: a backslash is written twice, \\\\");
            }

            "("                 { GIVE_READ(TK_LP, lexer_open(lx, BR_PAREN, tok->lo)); }
            "["                 { GIVE_READ(TK_LS, lexer_open(lx, BR_INDEX, tok->lo)); }
            "{"                 { GIVE_READ(TK_LB, lexer_open(lx, BR_BLOCK, tok->lo)); }
            ")"                 { GIVE_READ(TK_RP, close_bracket(lx, BR_PAREN, tok->lo)); }
            "]"                 { GIVE_READ(TK_RS, close_bracket(lx, BR_INDEX, tok->lo)); }
            "}"                 {
                if (lx->open[lx->depth].kind != BR_HOLE) {
                    GIVE_READ(TK_RB, close_bracket(lx, BR_BLOCK, tok->lo));
                }
                lx->depth--;
                GIVE(TK_RHOLE);
            }
            ":"                 {
                if (lx->open[lx->depth].kind != BR_HOLE) GIVE(TK_COLON);
                lx->open[lx->depth].kind = BR_SPEC;
                GIVE(TK_FSPEC);
            }
            ";"                 { GIVE(TK_SEMI); }
            ","                 { GIVE(TK_COMMA); }
            "."                 { GIVE(TK_DOT); }
            "..."               { GIVE(TK_DOTS); }
            "="                 { GIVE(TK_EQ); }
            "|>"                { GIVE(TK_PIPE); }

            "=="                { GIVE_OP(TK_CMP, OP_eq); }
            "!="                { GIVE_OP(TK_CMP, OP_ne); }
            "<"                 { GIVE_OP(TK_CMP, OP_lt); }
            "<="                { GIVE_OP(TK_CMP, OP_le); }
            ">"                 { GIVE_OP(TK_CMP, OP_gt); }
            ">="                { GIVE_OP(TK_CMP, OP_ge); }
            "|"                 { GIVE(TK_BOR); }
            "^"                 { GIVE(TK_BXOR); }
            "&"                 { GIVE(TK_BAND); }
            "<<"                { GIVE_OP(TK_SHIFT, OP_shl); }
            ">>"                { GIVE_OP(TK_SHIFT, OP_shr); }
            "+"                 { GIVE(TK_PLUS); }
            "-"                 { GIVE(TK_MINUS); }
            "*"                 { GIVE_OP(TK_MULOP, OP_mul); }
            "/"                 { GIVE_OP(TK_MULOP, OP_div); }
            "//"                { GIVE_OP(TK_MULOP, OP_floordiv); }
            "%"                 { GIVE_OP(TK_MULOP, OP_mod); }
            "@"                 { GIVE_OP(TK_MULOP, OP_matmul); }
            "~"                 { GIVE(TK_TILDE); }
            "**"                { GIVE(TK_POW); }

            "+="                { GIVE_OP(TK_OPEQ, OP_add); }
            "-="                { GIVE_OP(TK_OPEQ, OP_sub); }
            "*="                { GIVE_OP(TK_OPEQ, OP_mul); }
            "/="                { GIVE_OP(TK_OPEQ, OP_div); }
            "//="               { GIVE_OP(TK_OPEQ, OP_floordiv); }
            "%="                { GIVE_OP(TK_OPEQ, OP_mod); }
            "**="               { GIVE_OP(TK_OPEQ, OP_pow); }
            "@="                { GIVE_OP(TK_OPEQ, OP_matmul); }
            "&="                { GIVE_OP(TK_OPEQ, OP_bit_and); }
            "|="                { GIVE_OP(TK_OPEQ, OP_bit_or); }
            "^="                { GIVE_OP(TK_OPEQ, OP_bit_xor); }
            "<<="               { GIVE_OP(TK_OPEQ, OP_shl); }
            ">>="               { GIVE_OP(TK_OPEQ, OP_shr); }

            "&&"                { FAIL("`and` joins booleans, `&` boolean arrays: no &&"); }
            "||"                { FAIL("`or` joins booleans, `|` boolean arrays: no ||"); }
            "!"                 {
                if (lx->open[lx->depth].kind == BR_HOLE) {
                    FAIL("no conversion follows `!` in an f-string: write repr(x) or str(x)");
                }
                FAIL("`not` negates a boolean, `~` a boolean array; there is no !");
            }
            "++"                { FAIL("there is no ++ and no unary +: write x += 1, or a + b"); }
            "===" | "!=="       { FAIL("equality is written == and !="); }
            "<>" | "~="         { FAIL("inequality is written !="); }
            "<=>"               { FAIL("comparisons are == != < <= > >="); }
            ":="                {
                if (lx->open[lx->depth].kind == BR_HOLE) { /* {x:=6}: aligned by = */
                    cur--;
                    lx->open[lx->depth].kind = BR_SPEC;
                    GIVE(TK_FSPEC);
                }
                FAIL("assignment is written = and is a statement of its own");
            }
            "->" | "=>"         { FAIL("a function is written fn(x) = e, without an arrow"); }
            "/*" | "*/"         { FAIL("a comment begins with # and ends with its line"); }
            "?"                 { FAIL("a conditional is written a if c else b"); }
            "\\"                { FAIL("a backslash continues no line: put brackets around it"); }
            *                   { return text_strange(lx, tok); }
        */
    }
    tok->hi = lx->pos = cur;
    if (lexer_keyword(lx->text + tok->lo, cur - tok->lo, kind)) {
        return *kind == TK_FN ? read_doc(lx, tok) : ARR_OK;
    }
    *kind = TK_NAME;
    return read_name(lx, tok);
}

void lexer_init(Lexer *lx, Cx *cx, Arena *arena, uint32_t src, const char *text, size_t n) {
    memset(lx, 0, sizeof *lx);
    lx->cx = cx;
    lx->arena = arena;
    lx->src = src;
    lx->text = text;
    lx->n = (uint32_t)n;
    if (n >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) lx->pos = 3; /* a byte order mark */
}

Status lexer_next(Lexer *lx, int *kind, Token *tok) {
    *tok = (Token){.lo = lx->pos, .hi = lx->pos};
    int mode = lx->open[lx->depth].kind;
    TRY(mode == BR_TEXT || mode == BR_SPEC ? text_next(lx, kind, tok) : next_code(lx, kind, tok));
    if (*kind == 0) return ARR_OK;
    /* an opening bracket belongs to the statement around it; a new one starts inside */
    bool opens = *kind == TK_LP || *kind == TK_LS || *kind == TK_LB || *kind == TK_LHOLE;
    Bracket *b = &lx->open[lx->depth - (opens && lx->depth > 0)];
    if (starts_statement(lx->last)) b->head = 0;
    if (b->head == 0) b->head = (int16_t)*kind;
    lx->waiting = continues(lx, *kind);
    lx->last = *kind;
    if (*kind != TK_NEWLINE) lx->last_end = tok->hi;
    return ARR_OK;
}
