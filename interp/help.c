/* help - signature, meaning and examples of functions, from the tables that define them.
 *
 * Callers: the binder. Invariant: nothing is written twice: builtins bring their text, ops their
 * row, user functions the comment above them. */
#include "interp/help.h"
#include "interp/builtin_ops.h"
#include "interp/eval.h"
#include "interp/prelude.h"

#include <stdio.h>
#include <string.h>

/* How an op treats dtypes, by its rule. */
static const char *rule_text(OpRule r) {
    switch (r) {
    case OR_NUM:
    case OR_ARITH: return "Element by element; numbers are promoted to one dtype, which is kept.";
    case OR_ROUND: return "Element by element; real numbers; integers stay as they are.";
    case OR_ABS: return "Element by element; keeps the dtype, of complex its real one.";
    case OR_REAL: return "Element by element; the real dtype of the operand.";
    case OR_ANGLE: return "Element by element; integers become the default float; a real result.";
    case OR_FLOAT:
        return "Element by element; integers and booleans become the default float; complex "
               "allowed.\n"
               "Within 2 ulp of the exact value.";
    case OR_REALF:
        return "Element by element; integers and booleans become the default float; complex is an "
               "error.\nWithin 2 ulp of the exact value.";
    case OR_PRED: return "Element by element; a boolean for each.";
    case OR_PREDREAL: return "Element by element; a boolean for each real number.";
    case OR_MINMAX:
        return "Element by element; real numbers are promoted to one dtype, which is kept.";
    case OR_SELECT:
        return "Element by element: x where condition is true, else y; x and y are promoted.";
    case OR_INTEGER:
        return "Element by element; integers are promoted to one dtype, which is kept.";
    default: return "Element by element.";
    }
}

static void help_op(const BuiltinDef *def, Op op, Buf *b) {
    const OpInfo *info = op_info(op);
    buf_printf(b, "%s\n%s\n", def->sig, rule_text(info->rule));
    if (info->example) buf_printf(b, "  %s\n", info->example);
}

/* The comment that stands above a function is its help. */
static void help_user(State *A, const Function *f, Buf *b) {
    size_t n = 0;
    if (f->host && f->host->sig) {
        buf_printf(b, "%s\n%s%s", f->host->signature, f->host->doc ? f->host->doc : "",
                   f->host->doc ? "\n" : "");
        return;
    }
    if (!f->info) {
        buf_printf(b, "%s: a function of the %s\n", symbol_text(A, f->name),
                   f->bound ? "GPU, made by cuda_kernel" : "host program");
        return;
    }
    const AstFn *ast = f->info->ast;
    const char *head = source_text(A, ast->head, &n);
    if (head) buf_add(b, head, n);
    buf_char(b, '\n');
    if (ast->doc.data && ast->doc.len) {
        buf_add(b, ast->doc.data, ast->doc.len);
        if (ast->doc.data[ast->doc.len - 1] != '\n') buf_char(b, '\n');
    }
}

/* One more name of a wrapped list. */
static void put_name(Buf *b, size_t *column, const char *name, size_t n) {
    if (*column + n + 1 > 78) {
        buf_char(b, '\n');
        *column = 0;
    }
    if (*column) buf_char(b, ' ');
    buf_add(b, name, n);
    *column += n + 1;
}

static void help_module(State *A, const Module *m, Buf *b) {
    size_t column = 0;
    buf_printf(b, "module %s\n", symbol_text(A, m->name));
    for (int32_t i = 0; i < m->n; i++) {
        const char *name = symbol_text(A, m->vars[i].name);
        bool shown = m->vars[i].value.kind != V_UNSET && name[0] != '_';
        if (shown) put_name(b, &column, name, strlen(name));
    }
    buf_char(b, '\n');
}

/* All names. */
static void help_all(Buf *b) {
    const BuiltinDef *def;
    size_t column = 0;
    for (size_t i = 0;; i++) {
        bool library = i < prelude_count();
        def = library ? NULL : builtin_at(i - prelude_count());
        if (!library && !def) break;
        const char *name = library ? prelude_name(i) : def->sig;
        size_t n = library ? strlen(name) : builtin_name_length(def);
        put_name(b, &column, name, n);
    }
    buf_str(b, "\nhelp(name) tells about one of them.\n");
}

static Status help_of(State *A, const Value *v, Buf *b) {
    Op op;
    char text[SHAPE_TEXT];
    switch (v->kind) {
    case V_BUILTIN:
        if (builtin_is_op(v->builtin, &op))
            help_op(v->builtin, op, b);
        else
            buf_printf(b, "%s\n%s\n", v->builtin->sig, v->builtin->help);
        return ARR_OK;
    case V_FN: help_user(A, v->fn, b); return ARR_OK;
    case V_MODULE: help_module(A, v->module, b); return ARR_OK;
    case V_DTYPE:
        buf_printf(b, "%s(x)\nA dtype; called, it casts x to it.\n", dtype_name(v->dtype));
        return ARR_OK;
    case V_STR: {
        Symbol s = symbol_intern(A, v->str->text, v->str->len);
        if (s < 0) return ARR_ERR_MEMORY;
        Value base = symbol_base(A, s);
        if (value_callable(&base)) return help_of(A, &base, b);
        return report_unknown_name(A, SPAN_NONE, v->str->text);
    }
    default:
        value_describe(v, text);
        buf_printf(b, "%s\n", text);
        return ARR_OK;
    }
}

Status system_help(State *A, const Value *args, Value *out) {
    (void)out;
    Buf b;
    buf_init(&b, &A->cx);
    Status st = ARR_OK;
    if (args[0].kind == V_UNSET)
        help_all(&b);
    else
        st = help_of(A, &args[0], &b);
    if (st == ARR_OK) st = buf_status(&b);
    if (st == ARR_OK) st = state_write(A, b.data, b.len);
    buf_free(&b);
    return st;
}
