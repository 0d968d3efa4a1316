/* check - what a statement's surroundings decide: break and continue stand in a loop of the same
 * function, return in a function. One walk over the finished tree, as deep as the tree is. */
#include "grammar/make.h"

typedef struct Place {
    bool in_loop, in_fn;
} Place;

static Status walk(Cx *cx, const AstNode *n, Place place);

static Status walk_fn(Cx *cx, const AstFn *f, Place outside) {
    for (int32_t i = 0; i < f->nparams; i++) TRY(walk(cx, f->params[i].value, outside));
    return walk(cx, f->body, (Place){.in_loop = false, .in_fn = true});
}

static Status walk(Cx *cx, const AstNode *n, Place place) {
    if (!n) return ARR_OK;
    switch (n->kind) {
    case AST_FN:
    case AST_FNDEF: return walk_fn(cx, n->fn, place);
    case AST_BREAK:
    case AST_CONTINUE:
        if (place.in_loop) return ARR_OK;
        return error_set(cx, ARR_ERR_SYNTAX, n->at, "%s stands outside of a loop",
                         ast_word((AstKind)n->kind));
    case AST_RETURN:
        if (place.in_fn) break;
        return error_set(cx, ARR_ERR_SYNTAX, n->at, "return stands outside of a function");
    case AST_WHILE:
    case AST_FOR: place.in_loop = true; break;
    default: break;
    }
    TRY(walk(cx, n->a, place));
    TRY(walk(cx, n->b, place));
    TRY(walk(cx, n->c, place));
    for (int32_t i = 0; i < n->n; i++) TRY(walk(cx, n->items[i], place));
    return ARR_OK;
}

Status check_places(Cx *cx, const AstNode *root, bool in_fn) {
    return walk(cx, root, (Place){.in_loop = false, .in_fn = in_fn});
}
