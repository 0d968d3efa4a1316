/* ast - dumps of syntax trees: one node a line, children indented below it, values behind the word.
 *
 *   block
 *     assign
 *       name x
 *       binary + *
 *         int 1 ...
 */
#include "grammar/ast.h"
#include "runtime/base/numtext.h"

const char *ast_word(AstKind kind) {
    static const char *const words[] = {
#define AST(kind, word, what) word,
#include "grammar/ast.def"
#undef AST
    };
    return kind < AST_COUNT ? words[kind] : "?";
}

const char *ast_operator(Op op) { return op == OP_matmul ? "@" : op_info(op)->spelling; }

static void dump(Buf *out, const AstNode *n, int level, const char *label);

static void indent(Buf *out, int level) {
    for (int i = 0; i < level; i++) buf_str(out, "  ");
}

/* Text between quotes; what is not printable ASCII or UTF-8 as an escape. */
static void quoted(Buf *out, AstText t) {
    buf_char(out, '"');
    for (size_t i = 0; i < t.len; i++) {
        unsigned char c = (unsigned char)t.data[i];
        if (c == '\n')
            buf_str(out, "\\n");
        else if (c == '"' || c == '\\')
            buf_printf(out, "\\%c", c);
        else if (c < 0x20 || c == 0x7F)
            buf_printf(out, "\\x%02x", c);
        else
            buf_char(out, (char)c);
    }
    buf_char(out, '"');
}

static void number(Buf *out, double f) {
    char text[NUMTEXT_REAL];
    numtext_repr(f, text);
    buf_str(out, text);
}

/* What stands behind the word. */
static void detail(Buf *out, const AstNode *n) {
    switch (n->kind) {
    case AST_INT: buf_printf(out, " %lld", (long long)n->i); break;
    case AST_UINT: buf_printf(out, " %llu", (unsigned long long)n->u); break;
    case AST_FLOAT:
    case AST_IMAG:
        buf_char(out, ' ');
        number(out, n->f);
        break;
    case AST_BOOL: buf_str(out, n->i ? " true" : " false"); break;
    case AST_STRING:
        buf_char(out, ' ');
        quoted(out, n->text);
        break;
    case AST_UNARY:
    case AST_OPASSIGN: buf_printf(out, " %s", ast_operator((Op)n->op)); break;
    case AST_BINARY:
        for (int32_t i = 0; i < n->n; i++) buf_printf(out, " %s", ast_operator(n->links[i].op));
        break;
    case AST_IMPORT:
        buf_char(out, ' ');
        if (n->flags & AST_PATH)
            quoted(out, n->text);
        else
            buf_str(out, n->text.data);
        buf_printf(out, " as %s", n->name.text);
        break;
    default:
        if (n->name.text) buf_printf(out, " %s", n->name.text);
    }
}

static void flags(Buf *out, const AstNode *n) {
    if (n->flags & AST_NEGATED) buf_str(out, " negated");
    if (n->flags & AST_PIPED) buf_str(out, " piped");
    if (n->flags & AST_PAREN) buf_str(out, " ()");
    if (n->flags & AST_QUIET) buf_str(out, " ;");
}

static void dump_fn(Buf *out, const AstFn *f, int level) {
    if (f->doc.data) {
        indent(out, level);
        buf_str(out, "doc ");
        quoted(out, f->doc);
        buf_char(out, '\n');
    }
    for (int32_t i = 0; i < f->nparams; i++) {
        const AstParam *param = &f->params[i];
        indent(out, level);
        buf_printf(out, "param %s%s\n", param->name.text, param->rest ? "..." : "");
        if (param->value) dump(out, param->value, level + 1, "");
    }
    dump(out, f->body, level, "");
}

static void dump(Buf *out, const AstNode *n, int level, const char *label) {
    bool fn = n->kind == AST_FN || n->kind == AST_FNDEF;
    indent(out, level);
    buf_printf(out, "%s%s", label, ast_word((AstKind)n->kind));
    if (fn && n->fn->name.text)
        buf_printf(out, " %s", n->fn->name.text);
    else if (!fn)
        detail(out, n);
    flags(out, n);
    buf_char(out, '\n');
    if (fn) {
        dump_fn(out, n->fn, level + 1);
        return;
    }
    bool slice = n->kind == AST_SLICE; /* whose parts may be missing in any place */
    if (n->a) dump(out, n->a, level + 1, slice ? "lo " : "");
    if (n->b) dump(out, n->b, level + 1, slice ? "hi " : "");
    if (n->c) dump(out, n->c, level + 1, slice ? "step " : "");
    for (int32_t i = 0; i < n->n; i++) dump(out, n->items[i], level + 1, "");
}

void ast_dump(Buf *out, const AstNode *n) { dump(out, n, 0, ""); }
