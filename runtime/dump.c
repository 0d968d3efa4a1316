/* dump - see dump.h. Formats are golden-tested: what is printed is a function of the program alone
 * (but for times), never of addresses or serial numbers.
 *
 * Callers: exec. Invariant: a dump that cannot be written (memory, files) is left out; it never
 * fails the work, except for lack of memory while building its text. */
#include "runtime/dump.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* ---- where dumps go ---- */

static void write_file(Cx *cx, const char *stage, unsigned serial, const char *ext, const Buf *b) {
    char path[640];
    snprintf(path, sizeof path, "%s/%04u-%s.%s", cx->opts.dump_dir, serial, stage, ext);
    FILE *f = fopen(path, "w");
    if (!f) {
        notice_send(cx, "the dump %s cannot be written", path);
        return;
    }
    fwrite(b->data, 1, b->len, f);
    fclose(f);
}

static Status deliver(Cx *cx, const char *stage, unsigned serial, const char *ext, Buf *b) {
    Status s = buf_status(b);
    if (s == ARR_OK && cx->opts.dump_dir[0])
        write_file(cx, stage, serial, ext, b);
    else if (s == ARR_OK && cx->dump)
        cx->dump(cx->user, b->data, b->len);
    buf_free(b);
    return s;
}

/* ---- nodes ---- */

static int number(const Plan *p, const Node *n) { return (int)(plan_node(p, n) - p->node) + 1; }

static void text_view(const Node *n, Buf *out) {
    const ViewMap *m = n->at.view;
    buf_str(out, " [");
    for (int j = 0; j < m->in_rank; j++) {
        if (j) buf_str(out, ", ");
        long long start = m->start[j], step = m->step[j];
        if (m->axis[j] < 0)
            buf_printf(out, "%lld", start);
        else if (start == 0 && step == 1)
            buf_printf(out, "i%d", m->axis[j]);
        else
            buf_printf(out, "%lld%+lld*i%d", start, step, m->axis[j]);
    }
    buf_char(out, ']');
}

static void text_rect(const Node *n, Buf *out) {
    const Rect *r = n->at.rect;
    buf_str(out, " at [");
    for (int j = 0; j < n->shape.rank; j++)
        buf_printf(out, "%s%lld%+lld*i%d", j ? ", " : "", (long long)r->start[j],
                   (long long)r->step[j], j);
    buf_char(out, ']');
}

static void text_axes(uint32_t axes, Buf *out) {
    bool first = true;
    buf_str(out, " axes ");
    for (int j = 0; j < MAX_RANK; j++) {
        if (!(axes >> j & 1)) continue;
        buf_printf(out, first ? "%d" : ",%d", j);
        first = false;
    }
}

const char *dump_word(const Node *n) {
    switch (n->op) {
    case OP_reduce: return reduce_name((ReduceKind)n->at.reduce.kind);
    case OP_draw: return draw_name((DrawKind)n->at.draw.kind);
    default: return op_info((Op)n->op)->name;
    }
}

void dump_node(const Plan *p, const Node *n, Buf *out) {
    char text[SHAPE_TEXT];
    node_text(n, text);
    buf_printf(out, "%s %s", dump_word(n), text);
    for (int k = 0; k < node_inputs(n); k++) buf_printf(out, " %%%d", number(p, node_input(n, k)));
    switch (n->op) {
    case OP_scalar: {
        Scalar s = scalar_load((DType)n->dtype, n->at.scalar.bits);
        scalar_text(&s, text);
        buf_printf(out, " %s", text);
        break;
    }
    case OP_view: text_view(n, out); break;
    case OP_update: text_rect(n, out); break;
    case OP_reduce: text_axes(n->at.reduce.axes, out); break;
    case OP_scan:
        buf_printf(out, " %s axis %d", reduce_name((ReduceKind)n->at.along.kind), n->at.along.axis);
        break;
    case OP_sort:
    case OP_argsort:
    case OP_take:
    case OP_put:
    case OP_concat: buf_printf(out, " axis %d", n->at.along.axis); break;
    case OP_leaf:
        if (n->value) buf_printf(out, " %s", n->value->buf->device->name);
        break;
    default: break;
    }
}

static void dot_text(Buf *out, const char *s) {
    for (; *s; s++) {
        if (*s == '"' || *s == '\\') buf_char(out, '\\');
        buf_char(out, *s);
    }
}

static void dot_node(const Plan *p, const PNode *pn, Buf *out) {
    Buf label;
    buf_init(&label, p->cx);
    dump_node(p, pn->node, &label);
    const char *cut = strchr(buf_text(&label), '%'); /* edges say the rest */
    size_t n = cut ? (size_t)(cut - label.data) : label.len;
    if (label.data) label.data[n] = '\0';
    buf_printf(out, "  n%d [label=\"", (int)(pn - p->node) + 1);
    dot_text(out, buf_text(&label));
    buf_printf(out, "\"%s];\n", pn->root ? ", peripheries=2" : "");
    for (int k = 0; k < node_inputs(pn->node); k++)
        buf_printf(out, "  n%d -> n%d;\n", number(p, node_input(pn->node, k)),
                   (int)(pn - p->node) + 1);
    if (label.failed) out->failed = 1;
    buf_free(&label);
}

static Status graph_dot(Plan *p, unsigned serial) {
    Buf b;
    buf_init(&b, p->cx);
    buf_str(&b, "digraph graph_ {\n  node [shape=box];\n");
    for (int i = 0; i < p->n; i++)
        if (p->node[i].rep == &p->node[i]) dot_node(p, &p->node[i], &b);
    buf_str(&b, "}\n");
    return deliver(p->cx, "graph", serial, "dot", &b);
}

Status dump_graph(Plan *p) {
    Buf b;
    if (!(p->cx->opts.dump & DUMP_GRAPH)) return ARR_OK;
    unsigned serial = ++p->rt->dumps;
    buf_init(&b, p->cx);
    buf_str(&b, "graph\n");
    for (int i = 0; i < p->n; i++) {
        const PNode *pn = &p->node[i];
        if (pn->rep != pn) continue;
        buf_printf(&b, "  %%%d = ", i + 1);
        dump_node(p, pn->node, &b);
        if (pn->root)
            buf_str(&b, "  (asked for)");
        else if (pn->held)
            buf_str(&b, "  (held)");
        buf_char(&b, '\n');
    }
    TRY(deliver(p->cx, "graph", serial, "txt", &b));
    return p->cx->opts.dump_dir[0] ? graph_dot(p, serial) : ARR_OK;
}

/* ---- groups ---- */

static bool is_operation(const Node *n) {
    return n->op != OP_leaf && n->op != OP_scalar && n->op != OP_view && n->op != OP_reshape;
}

void dump_operations(const Group *g, Buf *out) {
    bool first = true;
    for (const Use *u = g->uses; u; u = u->in_group) {
        if (u->kind != USE_MEMBER || u->same || !is_operation(u->node->node)) continue;
        buf_printf(out, first ? "%s" : " %s", dump_word(u->node->node));
        first = false;
    }
    if (first) buf_str(out, "copy");
}

static void text_numbers(const Plan *p, const Group *g, bool (*which)(const Use *), Buf *out) {
    for (const Use *u = g->uses; u; u = u->in_group)
        if (!u->same && which(u)) buf_printf(out, " %%%d", (int)(u->node - p->node) + 1);
}

static bool is_read(const Use *u) { return u->kind != USE_MEMBER; }
static bool is_stored(const Use *u) { return u->store; }

static void text_loops(const Group *g, Buf *out) {
    buf_str(out, "loops (");
    for (int d = 0; d < g->nloop; d++) buf_printf(out, d ? ",%lld" : "%lld", (long long)g->dim[d]);
    buf_char(out, ')');
    if (g->nred) buf_printf(out, " reduced %d", g->nred);
}

static void text_group(const Plan *p, const Group *g, Buf *out) {
    if (g->kind != GROUP_LOOPS && g->kind != GROUP_PART) {
        buf_printf(out, "%s", dump_word(g->root->node));
        for (int k = 0; k < g->nread; k++)
            buf_printf(out, " %%%d", (int)(g->read[k] - p->node) + 1);
        buf_printf(out, " -> %%%d", (int)(g->root - p->node) + 1);
        return;
    }
    text_loops(g, out);
    buf_str(out, ": ");
    dump_operations(g, out);
    buf_str(out, "; reads");
    text_numbers(p, g, is_read, out);
    buf_str(out, "; stores");
    text_numbers(p, g, is_stored, out);
    if (g->kind == GROUP_PART) buf_printf(out, " part %d", g->part);
}

static void dot_group(const Plan *p, const Group *g, int step, Buf *out) {
    buf_printf(out, "  g%d [label=\"%d: ", step, step);
    if (g->kind == GROUP_LOOPS)
        dump_operations(g, out);
    else
        buf_str(out, dump_word(g->root->node));
    buf_str(out, "\"];\n");
    for (const Use *u = g->uses; u; u = u->in_group) {
        int n = (int)(u->node - p->node) + 1;
        if (is_read(u)) buf_printf(out, "  v%d -> g%d;\n", n, step);
        if (u->store) buf_printf(out, "  g%d -> v%d;\n", step, n);
    }
    for (int k = 0; k < g->nread; k++)
        buf_printf(out, "  v%d -> g%d;\n", (int)(g->read[k] - p->node) + 1, step);
    if (g->kind != GROUP_LOOPS)
        buf_printf(out, "  g%d -> v%d;\n", step, (int)(g->root - p->node) + 1);
}

static Status plan_dot(Plan *p, unsigned serial) {
    Buf b;
    int step = 0;
    buf_init(&b, p->cx);
    buf_str(&b, "digraph plan {\n  node [shape=box];\n");
    for (const Group *g = p->groups; g; g = g->next) dot_group(p, g, ++step, &b);
    buf_str(&b, "}\n");
    return deliver(p->cx, "plan", serial, "dot", &b);
}

Status dump_plan(Plan *p) {
    Buf b;
    int step = 0;
    if (!(p->cx->opts.dump & DUMP_PLAN)) return ARR_OK;
    unsigned serial = ++p->rt->dumps;
    buf_init(&b, p->cx);
    buf_printf(&b, "plan of %d groups\n", p->ngroup);
    for (const Group *g = p->groups; g; g = g->next) {
        buf_printf(&b, "  %d ", ++step);
        text_group(p, g, &b);
        if (g->root->cut) buf_printf(&b, " (%s)", cut_text((Cut)g->root->cut));
        buf_char(&b, '\n');
        for (const Group *part = g->parts; part; part = part->next) {
            buf_str(&b, "      ");
            text_group(p, part, &b);
            buf_char(&b, '\n');
        }
    }
    TRY(deliver(p->cx, "plan", serial, "txt", &b));
    return p->cx->opts.dump_dir[0] ? plan_dot(p, serial) : ARR_OK;
}

Status dump_program(Plan *p, const Program *program) {
    Buf b;
    if (!(p->cx->opts.dump & DUMP_PROGRAM)) return ARR_OK;
    buf_init(&b, p->cx);
    program_text(&b, program);
    return deliver(p->cx, "program", ++p->rt->dumps, "txt", &b);
}

/* ---- time ---- */

static int64_t nanoseconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

DumpClock dump_clock(Plan *p, const Group *g) {
    DumpClock c = {.on = (p->cx->opts.dump & DUMP_TIME) != 0};
    if (!c.on) return c;
    Buf b;
    buf_init(&b, p->cx);
    if (g->kind == GROUP_LOOPS)
        dump_operations(g, &b);
    else
        buf_str(&b, dump_word(g->root->node));
    snprintf(c.what, sizeof c.what, "%s", buf_text(&b));
    buf_free(&b);
    c.start = nanoseconds();
    return c;
}

void dump_time(Plan *p, const DumpClock *c, int step, const Device *d) {
    Buf b;
    if (!c->on) return;
    double ms = (double)(nanoseconds() - c->start) * 1e-6;
    buf_init(&b, p->cx);
    buf_printf(&b, "time %9.3f ms  %s  group %d: %s\n", ms, d->name, step + 1, c->what);
    if (!b.failed && p->cx->dump) p->cx->dump(p->cx->user, b.data, b.len);
    buf_free(&b);
}
