/* eval - expressions to values. Operators on arrays only build nodes of the graph.
 *
 * Callers: statements, call.c. Invariant: A->cx.span is set to an operation's place just before the
 * operation is done (after its operands were evaluated), so that errors and nodes carry it; C
 * recursion is bounded by the tree's depth and by stack_check. */
#include "interp/eval.h"
#include "interp/array_build.h"
#include "interp/env.h"
#include "interp/eval_expr.h"
#include "interp/liveness.h"

#include <stdio.h>
#include <string.h>

/* ---- names ---- */

Value *frame_variable(Frame *f, const AstName *name) {
    Value *v;
    if (name_is_local(name)) {
        v = &f->slots[name->slot];
    } else {
        GlobalVar *var = &f->module->vars[name_global(name)];
        global_strengthen(var);
        v = &var->value;
    }
    return v->kind == V_UNSET ? NULL : v;
}

void frame_bind(State *A, Frame *f, const AstName *name, Value v) {
    if (name_is_local(name)) {
        Value old = f->slots[name->slot];
        f->slots[name->slot] = v;
        value_release(A, old);
    } else {
        module_bind(A, f->module, name_global(name), v, name->span);
    }
}

Span frame_bound(const Frame *f, Symbol name) {
    for (int32_t i = 0; f->fn && i < f->fn->nslots; i++) {
        if (f->fn->slots[i].name == name) {
            return f->slots[i].kind == V_UNSET ? SPAN_NONE : f->fn->slots[i].bound;
        }
    }
    int32_t at = module_find(f->module, name);
    return at < 0 || f->module->vars[at].value.kind == V_UNSET ? SPAN_NONE
                                                               : f->module->vars[at].bound;
}

static bool is_captured(const FnInfo *info, int32_t slot) {
    for (int32_t i = 0; i < info->ncaptures; i++) {
        if (info->captures[i].to == slot) return true;
    }
    return false;
}

Status eval_unbound(State *A, Frame *f, const AstName *name) {
    if (!name_is_local(name)) return report_unknown_name(A, name->span, name->text);
    if (is_captured(f->fn, name->slot)) {
        return error_set(
            &A->cx, ARR_ERR_NAME, name->span,
            "%s had no value yet when this function was made: bind it before the fn that "
            "uses it",
            name->text);
    }
    int line, column;
    Span bound = f->fn->slots[name->slot].bound;
    source_position(A, bound, &line, &column);
    const char *fn = symbol_text(A, f->fn->name);
    if (bound.lo <= name->span.lo && bound.hi < name->span.lo) {
        return error_set(&A->cx, ARR_ERR_NAME, name->span,
                         "%s has no value here: %s binds it in line %d, which was not reached or "
                         "undone",
                         name->text, fn, line);
    }
    return error_set(&A->cx, ARR_ERR_NAME, name->span,
                     "%s has no value yet: %s binds it (line %d), so it is local here: take it as "
                     "an argument and return it",
                     name->text, fn, line);
}

APART Status eval_name(State *A, Frame *f, AstName *name, Value *out) {
    Value *v = frame_variable(f, name);
    if (__builtin_expect(v != NULL, 1)) {
        *out = value_retain(*v);
        return ARR_OK;
    }
    if (!name_is_local(name)) {
        Value base = symbol_base(A, name_symbol(name));
        if (base.kind != V_UNSET) {
            *out = value_retain(base);
            return ARR_OK;
        }
    }
    return eval_unbound(A, f, name);
}

/* The last read: a local's value is moved out, a script's variable keeps its own weakly. */
static Status eval_final(State *A, Frame *f, AstNode *n, Value *out) {
    if (!name_is_local(&n->name)) {
        TRY(eval_name(A, f, &n->name, out));
        global_weaken(&f->module->vars[name_global(&n->name)]);
        return ARR_OK;
    }
    Value *v = &f->slots[n->name.slot];
    if (v->kind == V_UNSET) return eval_name(A, f, &n->name, out);
    *out = *v;
    v->kind = V_UNSET;
    return ARR_OK;
}

/* ---- literals and containers ---- */

static Status eval_string(State *A, Frame *f, AstNode *n, Value *out) {
    if (!n->cache) {
        Value v;
        TRY(value_str(A, n->text.data ? n->text.data : "", n->text.len, &v));
        TRY(source_keep(A, f->source, v));
        n->cache = v.str;
    }
    *out = value_retain((Value){.kind = V_STR, .str = n->cache});
    return ARR_OK;
}

static Status hole(State *A, Frame *f, AstNode *part, const Value *v, Buf *out) {
    Value spec = VALUE_UNSET;
    if (part->b) TRY(eval(A, f, part->b, &spec));
    A->cx.span = part->span;
    Status st = spec.kind == V_STR ? value_format_spec(A, v, spec.str->text, spec.str->len, out)
                                   : value_format(A, v, false, out);
    value_release(A, spec);
    return st;
}

static APART Status eval_fstring(State *A, Frame *f, AstNode *n, Value *out) {
    Buf b;
    buf_init(&b, &A->cx);
    Status st = ARR_OK;
    for (int32_t i = 0; i < n->n && st == ARR_OK; i++) {
        AstNode *part = n->items[i];
        if (part->kind == AST_STRING) {
            buf_add(&b, part->text.data, part->text.len);
            continue;
        }
        Value v;
        st = eval(A, f, part->a, &v);
        if (st != ARR_OK) break;
        st = hole(A, f, part, &v, &b);
        value_release(A, v);
    }
    if (st == ARR_OK) st = buf_status(&b);
    if (st == ARR_OK) st = value_str(A, buf_text(&b), b.len, out);
    buf_free(&b);
    return st;
}

static APART Status eval_tuple(State *A, Frame *f, AstNode *n, Value *out) {
    Value t;
    TRY(value_tuple(A, (uint32_t)n->n, &t));
    for (int32_t i = 0; i < n->n; i++) {
        Status st = eval(A, f, n->items[i], &t.tuple->items[i]);
        if (st != ARR_OK) {
            t.tuple->items[i] = VALUE_NONE;
            value_release(A, t);
            return st;
        }
    }
    *out = t;
    return ARR_OK;
}

/* The extents of lists in lists as far as they are rectangular: [[1, 2], [3, 4]] is 2, 2; an
 * element that is no list, or a ragged row, ends it. */
static void list_extents(const AstNode *n, Shape *out) {
    out->rank = 0;
    const AstNode *first = n;
    while (first->kind == AST_LIST && out->rank < MAX_RANK) {
        out->dim[out->rank++] = first->n;
        if (first->n == 0) break;
        first = first->items[0];
    }
}

/* Do all lists in n have the extents s from axis on? *depth: how many axes all agree on. */
static void list_agree(const AstNode *n, const Shape *s, int axis, int *depth) {
    if (axis >= *depth) return;
    if (n->kind != AST_LIST || n->n != s->dim[axis]) {
        if (axis < *depth) *depth = axis;
        return;
    }
    for (int32_t i = 0; i < n->n; i++) list_agree(n->items[i], s, axis + 1, depth);
}

static Status list_leaves(State *A, Frame *f, AstNode *n, int depth, Value **at) {
    if (depth == 0) {
        TRY(eval(A, f, n, *at));
        ++*at;
        return ARR_OK;
    }
    for (int32_t i = 0; i < n->n; i++) TRY(list_leaves(A, f, n->items[i], depth - 1, at));
    return ARR_OK;
}

APART Status eval_list(State *A, Frame *f, AstNode *n, DType d, Value *out) {
    Shape s;
    list_extents(n, &s);
    int depth = s.rank;
    list_agree(n, &s, 0, &depth);
    s.rank = depth;
    size_t count = 1;
    for (int i = 0; i < s.rank; i++) count *= (size_t)s.dim[i];
    Value *leaves = stack_take(A, count), *at = leaves;
    if (!leaves) return ARR_ERR_MEMORY;
    Node *node = NULL;
    Status st = list_leaves(A, f, n, depth, &at);
    A->cx.span = n->span;
    if (st == ARR_OK) {
        ArrayParts parts = {leaves, count, s, d, "an array"};
        st = array_build(A, &parts, &node);
    }
    stack_give(A, leaves, count);
    if (st == ARR_OK) *out = value_node(node);
    return st;
}

/* ---- indexing ---- */

static Status eval_bound(State *A, Frame *f, AstNode *n, Value *out) {
    *out = VALUE_NONE;
    if (!n) return ARR_OK;
    TRY(eval(A, f, n, out));
    if (out->kind == V_INT || out->kind == V_NONE) return ARR_OK;
    int64_t i;
    A->cx.span = n->span;
    Status st = value_to_int(A, "a slice bound", out, &i);
    value_release(A, *out);
    *out = st == ARR_OK ? value_int(i) : VALUE_UNSET;
    return st;
}

/* A slice object without an allocation: it lies on the value stack, behind the items. */
static COLD Status eval_slice(State *A, Frame *f, AstNode *n, Value *room, Value *out) {
    SliceObj *s = (SliceObj *)room;
    Value lo, hi, step;
    TRY(eval_bound(A, f, n->a, &lo));
    TRY(eval_bound(A, f, n->b, &hi));
    TRY(eval_bound(A, f, n->c, &step));
    *s = (SliceObj){.refs = 1, .lo = lo, .hi = hi, .step = step};
    *out = (Value){.kind = V_SLICE, .slice = s};
    return ARR_OK;
}

enum { SLICE_ROOM = (sizeof(SliceObj) + sizeof(Value) - 1) / sizeof(Value) };

Status eval_index_items(State *A, Frame *f, AstNode *n, Value **items, int *count, size_t *taken) {
    size_t slices = 0;
    for (int32_t i = 0; i < n->n; i++) slices += n->items[i]->kind == AST_SLICE;
    /* slice objects first, raw; the items behind them */
    size_t room = slices * SLICE_ROOM;
    Value *p = stack_take(A, room + (size_t)n->n), *raw = p;
    if (!p) return ARR_ERR_MEMORY;
    Value *v = p + room;
    Status st = ARR_OK;
    for (int32_t i = 0; i < n->n && st == ARR_OK; i++) {
        if (n->items[i]->kind == AST_SLICE) {
            st = eval_slice(A, f, n->items[i], raw, &v[i]);
            raw += SLICE_ROOM;
        } else {
            st = eval(A, f, n->items[i], &v[i]);
        }
    }
    *items = v;
    *count = n->n;
    *taken = room + (size_t)n->n;
    if (st == ARR_OK) return ARR_OK;
    index_items_free(A, v, *count, *taken);
    return st;
}

void index_items_free(State *A, Value *items, int count, size_t taken) {
    Value *p = items + count - taken;
    for (int i = 0; i < count; i++) {
        bool on_stack = items[i].kind == V_SLICE && (Value *)items[i].slice >= p &&
                        (Value *)items[i].slice < items;
        if (!on_stack) value_release(A, items[i]);
        items[i] = VALUE_UNSET;
    }
    memset((void *)p, 0, (taken - (size_t)count) * sizeof *p);
    stack_give(A, p, taken);
}

/* A tuple as the only index equals its parts. */
Status index_get(State *A, const Value *x, const Value *items, int n, Value *out) {
    if (x->kind == V_RECORD) {
        Symbol name;
        TRY(field_index(A, items, n, &name));
        return eval_field(A, x, name, out);
    }
    if (n == 1 && items[0].kind == V_TUPLE) {
        return index_read(A, x, items[0].tuple->items, (int)items[0].tuple->n, out);
    }
    return index_read(A, x, items, n, out);
}

static APART Status eval_index(State *A, Frame *f, AstNode *n, Value *out) {
    Value x, *items;
    int count;
    size_t taken;
    TRY(eval(A, f, n->a, &x));
    Status st = eval_index_items(A, f, n, &items, &count, &taken);
    if (st == ARR_OK) {
        A->cx.span = n->at;
        st = index_get(A, &x, items, count, out);
        if (st != ARR_OK && st != ARR_ERR_MEMORY) {
            eval_note_operands(A, n->a->span, &x, SPAN_NONE, NULL);
        }
        index_items_free(A, items, count, taken);
    }
    value_release(A, x);
    return st;
}

/* ---- logic ---- */

static Status eval_condition(State *A, Frame *f, AstNode *n, const char *what, bool *out) {
    Value v;
    TRY(eval(A, f, n, &v));
    if (v.kind == V_BOOL) {
        *out = v.b;
        return ARR_OK;
    }
    A->cx.span = n->span;
    Status st = value_to_bool(A, what, &v, out);
    value_release(A, v);
    return st;
}

static APART Status eval_logic(State *A, Frame *f, AstNode *n, Value *out) {
    bool stop_at = n->kind == AST_OR, r = !stop_at;
    const char *what = stop_at ? "an operand of or" : "an operand of and";
    for (int32_t i = 0; i < n->n && r != stop_at; i++) {
        TRY(eval_condition(A, f, n->items[i], what, &r));
    }
    *out = value_bool(r);
    return ARR_OK;
}

static APART Status eval_membership(State *A, Frame *f, AstNode *n, Value *out) {
    Value a, b;
    bool r = false;
    TRY(eval(A, f, n->a, &a));
    Status st = eval(A, f, n->b, &b);
    if (st == ARR_OK) {
        A->cx.span = n->at;
        st = eval_in(A, &a, &b, &r);
        value_release(A, b);
    }
    value_release(A, a);
    *out = value_bool(r != ((n->flags & AST_NEGATED) != 0));
    return st;
}

/* ---- operators ---- */

/* Written field by field: a compound literal each would take room in the frame. */
static inline bool set_int(Value *out, int64_t i) {
    out->kind = V_INT;
    out->i = i;
    return true;
}

static inline bool set_float(Value *out, double f) {
    out->kind = V_FLOAT;
    out->f = f;
    return true;
}

static inline bool set_bool(Value *out, bool b) {
    out->kind = V_BOOL;
    out->b = b;
    return true;
}

static inline bool fast_ints(Op op, int64_t a, int64_t b, Value *out) {
    int64_t r;
    switch (op) {
    case OP_add: return !__builtin_add_overflow(a, b, &r) && set_int(out, r);
    case OP_sub: return !__builtin_sub_overflow(a, b, &r) && set_int(out, r);
    case OP_mul: return !__builtin_mul_overflow(a, b, &r) && set_int(out, r);
    case OP_lt: return set_bool(out, a < b);
    case OP_le: return set_bool(out, a <= b);
    case OP_gt: return set_bool(out, a > b);
    case OP_ge: return set_bool(out, a >= b);
    case OP_eq: return set_bool(out, a == b);
    case OP_ne: return set_bool(out, a != b);
    case OP_mod:
        if (b <= 0) return false;
        r = a % b;
        return set_int(out, r < 0 ? r + b : r);
    default: return false;
    }
}

static inline bool fast_floats(Op op, double a, double b, Value *out) {
    switch (op) {
    case OP_add: return set_float(out, a + b);
    case OP_sub: return set_float(out, a - b);
    case OP_mul: return set_float(out, a * b);
    case OP_div: return set_float(out, a / b);
    case OP_lt: return set_bool(out, a < b);
    case OP_gt: return set_bool(out, a > b);
    default: return false;
    }
}

/* The common operators on integers and floats, in place; false: not one of them. */
static inline bool fast_scalars(Op op, Value *acc, const Value *b) {
    if (acc->kind == V_INT && b->kind == V_INT) return fast_ints(op, acc->i, b->i, acc);
    if (acc->kind == V_FLOAT && b->kind == V_FLOAT) return fast_floats(op, acc->f, b->f, acc);
    bool plain = op == OP_add || op == OP_sub || op == OP_mul || op == OP_div;
    if (!plain) return false; /* comparisons of unlike kinds are exact */
    if (acc->kind == V_INT && b->kind == V_FLOAT) return fast_floats(op, (double)acc->i, b->f, acc);
    return acc->kind == V_FLOAT && b->kind == V_INT && fast_floats(op, acc->f, (double)b->i, acc);
}

/* A left spine: a, then one operator after the other. */
static APART Status eval_spine(State *A, Frame *f, AstNode *n, Value *out) {
    Value acc, b, r;
    if (expr_is_due(n)) return eval_expr(A, f, n, out);
    TRY(stack_check(A));
    TRY(eval(A, f, n->a, &acc));
    for (int32_t i = 0; i < n->n; i++) {
        Op op = n->links[i].op;
        Status st = eval(A, f, n->items[i], &b);
        if (st != ARR_OK) {
            value_release(A, acc);
            return st;
        }
        if (fast_scalars(op, &acc, &b)) continue;
        A->cx.span = n->links[i].at;
        st = eval_binary(A, op, &acc, &b, &r);
        if (st != ARR_OK) {
            Span left = {n->span.src, n->a->span.lo,
                         i > 0 ? n->items[i - 1]->span.hi : n->a->span.hi};
            eval_note_operands(A, left, &acc, n->items[i]->span, &b);
        }
        value_release(A, acc);
        value_release(A, b);
        TRY(st);
        acc = r;
    }
    if (acc.kind == V_ARRAY) expr_note(n);
    *out = acc;
    return ARR_OK;
}

static APART Status eval_prefix(State *A, Frame *f, AstNode *n, Value *out) {
    Value a;
    TRY(eval(A, f, n->a, &a));
    A->cx.span = n->at;
    Status st = eval_unary(A, (Op)n->op, &a, out);
    if (st != ARR_OK) eval_note_operands(A, n->a->span, &a, SPAN_NONE, NULL);
    value_release(A, a);
    return st;
}

/* ---- functions ---- */

APART Status eval_fn(State *A, Frame *f, AstNode *n, Value *out) {
    const FnInfo *info = n->fn->info;
    size_t size = sizeof(Function) + (size_t)info->ncaptures * sizeof(Value);
    Function *fn = mem_alloc(&A->cx.mem, size);
    if (!fn) return error_memory(&A->cx, size);
    *fn = (Function){.refs = 1,
                     .ncaptured = (uint32_t)info->ncaptures,
                     .info = info,
                     .source = source_retain(f->source),
                     .module = f->module,
                     .name = info->name};
    for (int32_t i = 0; i < info->ncaptures; i++) {
        fn->captured[i] = value_retain(f->slots[info->captures[i].from]);
    }
    *out = (Value){.kind = V_FN, .fn = fn};
    return ARR_OK;
}

static COLD Status eval_last(State *A, AstNode *n, Value *out) {
    if (A->last.kind == V_UNSET) {
        return error_set(&A->cx, ARR_ERR_VALUE, n->span, "there is no last value to continue with");
    }
    *out = value_retain(A->last);
    return ARR_OK;
}

static APART Status eval_member(State *A, Frame *f, AstNode *n, Value *out) {
    Value x;
    TRY(eval(A, f, n->a, &x));
    A->cx.span = n->at;
    Status st = eval_field(A, &x, name_symbol(&n->name), out);
    value_release(A, x);
    return st;
}

static APART Status eval_not(State *A, Frame *f, AstNode *n, Value *out) {
    bool r;
    TRY(eval_condition(A, f, n->a, "the operand of not", &r));
    *out = value_bool(!r);
    return ARR_OK;
}

static APART Status eval_cond(State *A, Frame *f, AstNode *n, Value *out) {
    bool r;
    TRY(eval_condition(A, f, n->a, "a condition", &r));
    return eval(A, f, r ? n->b : n->c, out);
}

static APART Status eval_deep(State *A, Frame *f, AstNode *n, Value *out) {
    TRY(stack_check(A));
    switch (n->kind) {
    case AST_UINT: *out = (Value){.kind = V_UINT, .u = n->u}; return ARR_OK;
    case AST_IMAG: *out = (Value){.kind = V_COMPLEX, .c = {0, n->f}}; return ARR_OK;
    case AST_ELLIPSIS: *out = (Value){.kind = V_ELLIPSIS}; return ARR_OK;
    case AST_STRING: return eval_string(A, f, n, out);
    case AST_FSTRING: return eval_fstring(A, f, n, out);
    case AST_LAST: return eval_last(A, n, out);
    case AST_TUPLE: return eval_tuple(A, f, n, out);
    case AST_LIST: return eval_list(A, f, n, DT_COUNT, out);
    case AST_UNARY: return eval_prefix(A, f, n, out);
    case AST_AND:
    case AST_OR: return eval_logic(A, f, n, out);
    case AST_NOT: return eval_not(A, f, n, out);
    case AST_IN: return eval_membership(A, f, n, out);
    case AST_COND: return eval_cond(A, f, n, out);
    case AST_INDEX: return eval_index(A, f, n, out);
    case AST_FIELD: return eval_member(A, f, n, out);
    case AST_FN: return eval_fn(A, f, n, out);
    default:
        return error_set(&A->cx, ARR_ERR_INTERNAL, n->span, "no value for a %s",
                         ast_word((AstKind)n->kind));
    }
}

Status eval(State *A, Frame *f, AstNode *n, Value *out) {
    switch (n->kind) {
    case AST_NAME:
        return n->flags & AST_FINAL ? eval_final(A, f, n, out) : eval_name(A, f, &n->name, out);
    case AST_INT: set_int(out, n->i); return ARR_OK;
    case AST_FLOAT: set_float(out, n->f); return ARR_OK;
    case AST_BOOL: set_bool(out, n->i != 0); return ARR_OK;
    case AST_NONE: out->kind = V_NONE; return ARR_OK;
    case AST_BINARY: return eval_spine(A, f, n, out);
    case AST_CALL: TRY(stack_check(A)); return eval_call(A, f, n, out);
    default: return eval_deep(A, f, n, out);
    }
}

Status eval_test(State *A, Frame *f, AstNode *n, bool *out) {
    return eval_condition(A, f, n, "a condition", out);
}
