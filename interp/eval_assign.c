/* eval_assign - assignment: the right side first, then every target's new value, then all names at
 * once.
 *
 * Callers: statements, for. Invariant: names change only after everything that can fail has been
 * done, so that an error leaves every variable as it was. A target x[i].f[j] is a path: it is read
 * from the name outwards, changed from its end inwards, and rebinds the name. */
#include "interp/eval.h"
#include "interp/watch.h"

#include <string.h>

/* ---- paths ---- */

typedef struct Step {
    AstNode *node; /* INDEX or FIELD */
    Value *items;  /* evaluated index */
    int count;
    size_t taken;
    Value before; /* the value that the step applies to */
} Step;

typedef struct Path {
    AstName *name;
    Step *steps;  /* from the name outwards */
    int n, ready; /* ready: steps whose items are alive */
    Step few[2];
} Path;

static int path_length(const AstNode *t) {
    int n = 0;
    for (; t->kind == AST_INDEX || t->kind == AST_FIELD; t = t->a) n++;
    return n;
}

static COLD Status not_local(State *A, Frame *f, const AstName *name, const AstNode *at) {
    if (!name_is_local(name)) return eval_unbound(A, f, name);
    return error_set(
        &A->cx, ARR_ERR_NAME, at->span,
        "%s is changed here, but it is neither a parameter of %s nor local yet: take it "
        "as an argument and return it",
        name->text, symbol_text(A, f->fn->name));
}

static Status step_read(State *A, const Step *s, Value *out) {
    A->cx.span = s->node->at;
    if (s->node->kind == AST_FIELD) {
        return eval_field(A, &s->before, name_symbol(&s->node->name), out);
    }
    return index_get(A, &s->before, s->items, s->count, out);
}

static Status assign_tuple(State *A, const Value *x, const Value *items, int n, const Value *e,
                           Value *out) {
    int64_t i;
    if (n != 1 || (items[0].kind != V_INT && items[0].kind != V_ARRAY)) {
        return error_set(&A->cx, ARR_ERR_INDEX, SPAN_NONE,
                         "an element of a tuple is assigned by one integer index");
    }
    TRY(value_to_int(A, "the index", &items[0], &i));
    int64_t len = x->tuple->n;
    if (i < -len || i >= len) {
        return error_set(&A->cx, ARR_ERR_INDEX, SPAN_NONE,
                         "index %lld is out of range for a tuple of length %lld", (long long)i,
                         (long long)len);
    }
    if (i < 0) i += len;
    TRY(value_tuple(A, x->tuple->n, out));
    for (int64_t k = 0; k < len; k++) {
        out->tuple->items[k] = value_retain(k == i ? *e : x->tuple->items[k]);
    }
    return ARR_OK;
}

static COLD Status no_fields(State *A, const Value *v) {
    char text[SHAPE_TEXT];
    value_describe(v, text);
    return error_set(&A->cx, ARR_ERR_TYPE, SPAN_NONE,
                     "fields of %s cannot be assigned: only records have assignable fields", text);
}

static Status step_write(State *A, const Step *s, const Value *e, Value *out) {
    A->cx.span = s->node->at;
    if (s->node->kind == AST_FIELD) {
        if (s->before.kind == V_RECORD) {
            return record_with(A, s->before.record, name_symbol(&s->node->name), e, out);
        }
        return no_fields(A, &s->before);
    }
    const Value *items = s->items;
    int n = s->count;
    if (n == 1 && items[0].kind == V_TUPLE) {
        n = (int)items[0].tuple->n;
        items = items[0].tuple->items;
    }
    if (s->before.kind == V_RECORD) {
        Symbol name;
        TRY(field_index(A, items, n, &name));
        return record_with(A, s->before.record, name, e, out);
    }
    if (s->before.kind == V_TUPLE) return assign_tuple(A, &s->before, items, n, e, out);
    return index_assign(A, &s->before, items, n, e, out);
}

static void path_free(State *A, Path *p) {
    for (int i = p->ready; i-- > 0;) {
        Step *s = &p->steps[i];
        if (s->taken) index_items_free(A, s->items, s->count, s->taken);
        value_release(A, s->before);
    }
    if (p->steps != p->few) mem_free(&A->cx.mem, p->steps, (size_t)p->n * sizeof *p->steps);
}

/* Read along the path. start: the name's value (borrowed). */
static Status path_open(State *A, Frame *f, AstNode *target, const Value *start, Path *p) {
    p->n = path_length(target);
    p->ready = 0;
    p->steps = p->few;
    size_t bytes = (size_t)p->n * sizeof *p->steps;
    if (bytes <= sizeof p->few) {
        memset((void *)p->few, 0, bytes);
    } else {
        p->steps = mem_zalloc(&A->cx.mem, bytes);
        if (!p->steps) {
            p->steps = p->few; /* nothing is ready */
            return error_memory(&A->cx, bytes);
        }
    }
    AstNode *t = target;
    for (int i = p->n; i-- > 0; t = t->a) p->steps[i].node = t;
    p->name = &t->name;
    Value v = value_retain(*start);
    for (int i = 0; i < p->n; i++) {
        Step *s = &p->steps[i];
        s->before = v;
        p->ready = i + 1;
        if (s->node->kind == AST_INDEX) {
            Status st = eval_index_items(A, f, s->node, &s->items, &s->count, &s->taken);
            if (st != ARR_OK) {
                s->taken = 0;
                return st;
            }
        }
        if (i + 1 < p->n) TRY(step_read(A, s, &v));
    }
    return ARR_OK;
}

/* Write e at the end of the path: *out is the name's new value. */
static Status path_write(State *A, Path *p, const Value *e, Value *out) {
    Value v = value_retain(*e);
    for (int i = p->n; i-- > 0;) {
        Value changed;
        Status st = step_write(A, &p->steps[i], &v, &changed);
        if (st != ARR_OK && i == p->n - 1) {
            const AstNode *base = p->steps[i].node->a;
            eval_note_operands(A, base->span, &p->steps[i].before, SPAN_NONE, NULL);
        }
        value_release(A, v);
        TRY(st);
        v = changed;
    }
    *out = v;
    return ARR_OK;
}

/* ---- bindings that wait for the end of the statement ---- */

typedef struct Binding {
    const AstName *name;
    Value value;
} Binding;

typedef struct Bindings {
    Binding *list;
    Binding few[8];
    int n, cap;
} Bindings;

static void bindings_init(Bindings *b) {
    b->list = b->few;
    b->n = 0;
    b->cap = sizeof b->few / sizeof *b->few;
}

static Status bindings_add(State *A, Bindings *b, const AstName *name, Value v) {
    if (b->n == b->cap) {
        size_t size = (size_t)b->cap * sizeof *b->list;
        Binding *p = mem_alloc(&A->cx.mem, 2 * size);
        if (!p) {
            value_release(A, v);
            return error_memory(&A->cx, 2 * size);
        }
        memcpy(p, b->list, size);
        if (b->list != b->few) mem_free(&A->cx.mem, b->list, size);
        b->list = p;
        b->cap *= 2;
    }
    b->list[b->n++] = (Binding){name, v};
    return ARR_OK;
}

static void bindings_end(State *A, Frame *f, Bindings *b, bool commit) {
    for (int i = 0; i < b->n; i++) {
        if (commit)
            frame_bind(A, f, b->list[i].name, b->list[i].value);
        else
            value_release(A, b->list[i].value);
    }
    if (b->list != b->few) mem_free(&A->cx.mem, b->list, (size_t)b->cap * sizeof *b->list);
}

/* The name's value as this statement has it so far. */
static const Value *bindings_current(Frame *f, const Bindings *b, const AstName *name) {
    for (int i = b->n; i-- > 0;) {
        if (b->list[i].name->slot == name->slot) return &b->list[i].value;
    }
    return frame_variable(f, name);
}

static Status collect(State *A, Frame *f, AstNode *t, const Value *v, Bindings *b);

static COLD Status count_mismatch(State *A, const AstNode *t, int64_t values) {
    return error_set(&A->cx, ARR_ERR_VALUE, t->span, "%lld %s for %d names", (long long)values,
                     values == 1 ? "value" : "values", t->n);
}

static Status collect_tuple(State *A, Frame *f, AstNode *t, const Value *v, Bindings *b) {
    Iter it;
    A->cx.span = t->span;
    TRY(iter_begin(A, "unpacking", v, &it));
    if (it.n != t->n) return count_mismatch(A, t, it.n);
    for (int32_t i = 0; i < t->n; i++) {
        bool more;
        Value part;
        A->cx.span = t->span;
        TRY(iter_next(A, &it, &more, &part));
        Status st = collect(A, f, t->items[i], &part, b);
        value_release(A, part);
        TRY(st);
    }
    return ARR_OK;
}

static Status collect(State *A, Frame *f, AstNode *t, const Value *v, Bindings *b) {
    if (t->kind == AST_DISCARD) return ARR_OK;
    if (t->kind == AST_NAME) return bindings_add(A, b, &t->name, value_retain(*v));
    if (t->kind == AST_TUPLE) return collect_tuple(A, f, t, v, b);
    AstNode *root = t;
    while (root->kind != AST_NAME) root = root->a;
    const Value *start = bindings_current(f, b, &root->name);
    if (!start) return not_local(A, f, &root->name, t);
    Path p;
    Value changed = VALUE_UNSET;
    Status st = path_open(A, f, t, start, &p);
    if (st == ARR_OK) st = path_write(A, &p, v, &changed);
    path_free(A, &p);
    TRY(st);
    return bindings_add(A, b, &root->name, changed);
}

/* Does the path's only step write one element of an array that has no holders but the name and the
 * path itself? It is written where it is, and the name keeps its value. */
static bool path_store(State *A, Path *p, const Value *e) {
    Step *s = &p->steps[0];
    return p->n == 1 && s->node->kind == AST_INDEX &&
           index_store(A, &s->before, 2, s->items, s->count, e);
}

/* Bind the name (takes v) if nothing that the statement has built fails. */
static Status bind_settled(State *A, Frame *f, const AstName *name, Value v) {
    Status st = watched_settle(A, f);
    if (st == ARR_OK)
        frame_bind(A, f, name, v);
    else
        value_release(A, v);
    return st;
}

/* name[...] = v, the whole of a statement. */
static Status bind_index(State *A, Frame *f, AstNode *t, const Value *v) {
    Path p;
    Value changed = VALUE_UNSET;
    const Value *start = frame_variable(f, &t->a->name);
    if (!start) return not_local(A, f, &t->a->name, t);
    Status st = path_open(A, f, t, start, &p);
    if (st == ARR_OK) st = watched_settle(A, f);
    bool done = st == ARR_OK && path_store(A, &p, v);
    if (st == ARR_OK && !done) st = path_write(A, &p, v, &changed);
    path_free(A, &p);
    return st == ARR_OK && !done ? bind_settled(A, f, &t->a->name, changed) : st;
}

Status bind_target(State *A, Frame *f, AstNode *target, const Value *v) {
    if (target->kind == AST_NAME) return bind_settled(A, f, &target->name, value_retain(*v));
    if (target->kind == AST_INDEX && target->a->kind == AST_NAME)
        return bind_index(A, f, target, v);
    Bindings b;
    bindings_init(&b);
    Status st = collect(A, f, target, v, &b);
    if (st == ARR_OK) st = watched_settle(A, f);
    bindings_end(A, f, &b, st == ARR_OK);
    return st;
}

Status exec_assign(State *A, Frame *f, AstNode *n) {
    Value v;
    TRY(eval(A, f, n->b, &v));
    if (n->a->kind == AST_NAME) return bind_settled(A, f, &n->a->name, v);
    Status st = bind_target(A, f, n->a, &v);
    value_release(A, v);
    return st;
}

/* ---- x op= e ---- */

static Status opassign_value(State *A, Frame *f, AstNode *n, const Value *old, Value *out) {
    Value e;
    TRY(eval(A, f, n->b, &e));
    A->cx.span = n->at;
    Status st = eval_binary(A, (Op)n->op, old, &e, out);
    if (st != ARR_OK) eval_note_operands(A, n->a->span, old, n->b->span, &e);
    value_release(A, e);
    return st;
}

Status exec_opassign(State *A, Frame *f, AstNode *n) {
    AstNode *root = n->a;
    while (root->kind != AST_NAME) root = root->a;
    const Value *start = frame_variable(f, &root->name);
    if (!start) return not_local(A, f, &root->name, n->a);
    Value v;
    if (n->a->kind == AST_NAME) {
        Value old = value_retain(*start);
        Status st = opassign_value(A, f, n, &old, &v);
        value_release(A, old);
        TRY(st);
        return bind_settled(A, f, &root->name, v);
    }
    Path p;
    Value old, changed;
    bool read = false;
    Status st = path_open(A, f, n->a, start, &p);
    if (st == ARR_OK) st = step_read(A, &p.steps[p.n - 1], &old);
    if (st == ARR_OK) {
        st = opassign_value(A, f, n, &old, &v);
        read = st == ARR_OK;
        value_release(A, old);
    }
    if (st == ARR_OK) st = watched_settle(A, f);
    bool done = st == ARR_OK && path_store(A, &p, &v);
    if (st == ARR_OK && !done) st = path_write(A, &p, &v, &changed);
    path_free(A, &p);
    if (read) value_release(A, v);
    return st == ARR_OK && !done ? bind_settled(A, f, &root->name, changed) : st;
}
