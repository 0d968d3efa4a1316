/* parse - the grammar, by lemon: tokens to syntax tree, one constructor a rule.
 *
 * No conflicts, no precedence declarations: every level of operators is a nonterminal. What would
 * make the grammar ambiguous is left to the constructors (make.h): the left side of `=` is parsed
 * as an expression and turned into targets, comparisons are left-recursive and chains refused. */

%include {
#include "grammar/make.h"
#include "grammar/lemon.h"

/* The first error ends the parse: no recovery. */
#define YYNOERRORRECOVERY 1
}

%name parse_lemon
%token_prefix TK_
%token_type {Token}
%extra_argument {Parser *p}
%start_symbol source
%default_type {AstNode *}

/* Brackets are limited to AST_NEST_MAX by the lexer; between two of them at most about 34 entries
 * pile up, one or two for each level of operators. Beyond, only endless `- - -`, `not not`, `**` or
 * `else` chains. */
%stack_size 8000
%stack_overflow {
    if (p->status == ARR_OK) {
        p->status = error_set(p->cx, ARR_ERR_LIMIT, make_span(p, p->tok.lo, p->tok.hi),
                              "the expression is nested too deeply");
    }
}
/* Nothing to destroy: values live in the arena. Said because lemon's names would be unused. */
%token_destructor {
    (void)p;
    (void)$$;
}
%syntax_error {
    (void)yymajor;
    (void)yyminor;
    if (p->status == ARR_OK) {
        p->refused = true; /* explained by the driver */
        p->status = ARR_ERR_SYNTAX;
    }
}

%type statements {AstList}
%type seq {AstList}
%type many {AstList}
%type posts {AstList}
%type args {AstList}
%type arglist {AstList}
%type items {AstList}
%type parts {AstList}
%type params {ParamList}
%type paramlist {ParamList}

/* --- statements ------------------------------------------------------------------------------- */

source ::= body(B). { p->root = B; }

body(R) ::= statements(L).              { R = make_block(p, NULL, L, NULL); }
body(R) ::= statements(L) statement(S). { R = make_block(p, NULL, make_list(p, L, S), NULL); }

statements(R) ::= .                     { R = (AstList){0}; }
statements(R) ::= statements(L) NEWLINE. { R = L; }
statements(R) ::= statements(L) SEMI.    { R = L; }
statements(R) ::= statements(L) statement(S) NEWLINE. { R = make_list(p, L, S); }
statements(R) ::= statements(L) statement(S) SEMI(T). { R = make_list(p, L, make_quiet(p, S, T)); }

block(R) ::= LB(O) statements(L) RB(C). { R = make_block(p, &O, L, &C); }
block(R) ::= LB(O) statements(L) statement(S) RB(C). {
    R = make_block(p, &O, make_list(p, L, S), &C);
}

statement(R) ::= exprs(E).                     { R = make_expr(p, E); }
statement(R) ::= exprs(A) EQ(T) exprs(B).      { R = make_assign(p, A, T, B); }
statement(R) ::= exprs(A) OPEQ(T) expr(B).     { R = make_opassign(p, A, T, B); }
statement(R) ::= ifs(I).                       { R = I; }
statement(R) ::= ifs(I) ELSE block(B).         { R = make_elif(p, I, NULL, B); }
statement(R) ::= WHILE(T) expr(C) block(B).    { R = make_while(p, T, C, B); }
statement(R) ::= FOR(T) targets(A) IN exprs(E) block(B). { R = make_for(p, T, A, E, B); }
statement(R) ::= BREAK(T).                     { R = make_word(p, AST_BREAK, T, 0); }
statement(R) ::= CONTINUE(T).                  { R = make_word(p, AST_CONTINUE, T, 0); }
statement(R) ::= RETURN(T).                    { R = make_return(p, T, NULL); }
statement(R) ::= RETURN(T) exprs(E).           { R = make_return(p, T, E); }
statement(R) ::= DEL(T) posts(L).              { R = make_del(p, T, L); }
statement(R) ::= ASSERT(T) expr(C).            { R = make_assert(p, T, C, NULL); }
statement(R) ::= ASSERT(T) expr(C) COMMA expr(M). { R = make_assert(p, T, C, M); }
statement(R) ::= TRY(T) block(B) CATCH NAME(N) block(H). { R = make_try(p, T, B, N, H); }
statement(R) ::= IMPORT(T) STRING(S) AS NAME(N). { R = make_import(p, T, true, S, N); }
statement(R) ::= IMPORT(T) NAME(N).            { R = make_import(p, T, false, N, N); }
statement(R) ::= IMPORT(T) NAME(F) AS NAME(N). { R = make_import(p, T, false, F, N); }
statement(R) ::= FN(T) NAME(N) LP params(L) RP(C) EQ expr(B). {
    R = make_fn(p, T, &N, L, C, B);
}
statement(R) ::= FN(T) NAME(N) LP params(L) RP(C) block(B). {
    R = make_fn(p, T, &N, L, C, B);
}

ifs(R) ::= IF(T) expr(C) block(B).             { R = make_if(p, T, C, B); }
ifs(R) ::= ifs(I) ELIF expr(C) block(B).       { R = make_elif(p, I, C, B); }

targets(R) ::= posts(L).                       { R = make_targets(p, L); }
targets(R) ::= posts(L) COMMA.                 { R = make_tuple(p, L); }

posts(R) ::= postfix(A).                       { R = make_list(p, (AstList){0}, A); }
posts(R) ::= posts(L) COMMA postfix(A).        { R = make_list(p, L, A); }

/* --- lists ------------------------------------------------------------------------------------ */

exprs(R) ::= expr(E).                          { R = E; }
exprs(R) ::= seq(L).                           { R = make_tuple(p, L); }

/* what makes a tuple: a comma */
seq(R) ::= expr(E) COMMA.                      { R = make_list(p, (AstList){0}, E); }
seq(R) ::= many(L).                            { R = L; }
seq(R) ::= many(L) COMMA.                      { R = L; }
many(R) ::= expr(A) COMMA expr(B).             { R = make_pair(p, A, B); }
many(R) ::= many(L) COMMA expr(E).             { R = make_list(p, L, E); }

/* --- expressions, loosest first --------------------------------------------------------------- */

expr(R) ::= cond(E).                           { R = E; }
expr(R) ::= FN(T) LP params(L) RP(C) EQ expr(B). { R = make_fn(p, T, NULL, L, C, B); }
expr(R) ::= FN(T) LP params(L) RP(C) block(B). { R = make_fn(p, T, NULL, L, C, B); }

cond(R) ::= pipe(E).                           { R = E; }
cond(R) ::= pipe(A) IF(T) pipe(C) ELSE expr(B). { R = make_cond(p, A, T, C, B); }

pipe(R) ::= or(E).                             { R = E; }
pipe(R) ::= pipe(A) PIPE(T) or(B).             { R = make_pipe(p, A, T, B); }

or(R) ::= and(E).                              { R = E; }
or(R) ::= or(A) OR(T) and(B).                  { R = make_logic(p, AST_OR, A, T, B); }

and(R) ::= not(E).                             { R = E; }
and(R) ::= and(A) AND(T) not(B).               { R = make_logic(p, AST_AND, A, T, B); }

not(R) ::= cmp(E).                             { R = E; }
not(R) ::= NOT(T) not(E).                      { R = make_not(p, T, E); }

cmp(R) ::= bor(E).                             { R = E; }
cmp(R) ::= cmp(A) CMP(T) bor(B).               { R = make_compare(p, T.op, A, T, B); }
cmp(R) ::= cmp(A) IN(T) bor(B).                { R = make_in(p, A, T, T, false, B); }
cmp(R) ::= cmp(A) NOT(N) IN(T) bor(B).         { R = make_in(p, A, N, T, true, B); }

bor(R) ::= bxor(E).                            { R = E; }
bor(R) ::= bor(A) BOR(T) bxor(B).              { R = make_binary(p, OP_bit_or, A, T, B); }

bxor(R) ::= band(E).                           { R = E; }
bxor(R) ::= bxor(A) BXOR(T) band(B).           { R = make_binary(p, OP_bit_xor, A, T, B); }

band(R) ::= shift(E).                          { R = E; }
band(R) ::= band(A) BAND(T) shift(B).          { R = make_binary(p, OP_bit_and, A, T, B); }

shift(R) ::= sum(E).                           { R = E; }
shift(R) ::= shift(A) SHIFT(T) sum(B).         { R = make_binary(p, T.op, A, T, B); }

sum(R) ::= product(E).                         { R = E; }
sum(R) ::= sum(A) PLUS(T) product(B).          { R = make_binary(p, OP_add, A, T, B); }
sum(R) ::= sum(A) MINUS(T) product(B).         { R = make_binary(p, OP_sub, A, T, B); }

product(R) ::= unary(E).                       { R = E; }
product(R) ::= product(A) MULOP(T) unary(B).   { R = make_binary(p, T.op, A, T, B); }

unary(R) ::= power(E).                         { R = E; }
unary(R) ::= MINUS(T) unary(E).                { R = make_unary(p, OP_neg, T, E); }
unary(R) ::= TILDE(T) unary(E).                { R = make_unary(p, OP_bit_not, T, E); }

power(R) ::= postfix(E).                       { R = E; }
power(R) ::= postfix(A) POW(T) unary(B).       { R = make_binary(p, OP_pow, A, T, B); }

postfix(R) ::= atom(E).                        { R = E; }
postfix(R) ::= postfix(F) LP(O) args(L) RP(C). { R = make_call(p, F, O, L, C); }
postfix(R) ::= postfix(A) LS(O) items(L) RS(C). { R = make_index(p, A, O, L, C); }
postfix(R) ::= postfix(A) LS(O) items(L) COMMA RS(C). { R = make_index(p, A, O, L, C); }
postfix(R) ::= postfix(A) DOT(D) NAME(N).      { R = make_field(p, A, D, N); }

atom(R) ::= NAME(T).                           { R = make_name(p, T); }
atom(R) ::= INT(T).                            { R = make_int(p, T); }
atom(R) ::= FLOAT(T).                          { R = make_float(p, AST_FLOAT, T); }
atom(R) ::= IMAG(T).                           { R = make_float(p, AST_IMAG, T); }
atom(R) ::= TRUE(T).                           { R = make_word(p, AST_BOOL, T, 1); }
atom(R) ::= FALSE(T).                          { R = make_word(p, AST_BOOL, T, 0); }
atom(R) ::= NONE(T).                           { R = make_word(p, AST_NONE, T, 0); }
atom(R) ::= DOTS(T).                           { R = make_word(p, AST_ELLIPSIS, T, 0); }
atom(R) ::= LAST(T).                           { R = make_word(p, AST_LAST, T, 0); }
atom(R) ::= STRING(T).                         { R = make_string(p, T); }
atom(R) ::= FSTART(O) parts(L) FEND(C).        { R = make_fstring(p, O, L, C); }
atom(R) ::= LP(O) expr(E) RP(C).               { R = make_group(p, O, E, C); }
atom(R) ::= LP(O) seq(L) RP(C).                { R = make_paren_tuple(p, O, L, C); }
atom(R) ::= LP(O) RP(C).                       { R = make_paren_tuple(p, O, (AstList){0}, C); }
atom(R) ::= LS(O) expr(E) RS(C).  { R = make_array(p, O, make_list(p, (AstList){0}, E), C); }
atom(R) ::= LS(O) seq(L) RS(C).                { R = make_array(p, O, L, C); }
atom(R) ::= LS(O) RS(C).                       { R = make_array(p, O, (AstList){0}, C); }

/* --- arguments, indices, parameters, f-strings ------------------------------------------------ */

args(R) ::= .                                  { R = (AstList){0}; }
args(R) ::= arglist(L).                        { R = L; }
args(R) ::= arglist(L) COMMA.                  { R = L; }
arglist(R) ::= arg(A).                         { R = make_arg(p, (AstList){0}, A); }
arglist(R) ::= arglist(L) COMMA arg(A).        { R = make_arg(p, L, A); }
arg(R) ::= expr(E).                            { R = E; }
arg(R) ::= expr(N) EQ(T) expr(E).              { R = make_named(p, N, T, E); }
arg(R) ::= expr(E) DOTS(T).                    { R = make_spread(p, E, T); }

items(R) ::= item(I).                          { R = make_list(p, (AstList){0}, I); }
items(R) ::= items(L) COMMA item(I).           { R = make_list(p, L, I); }
item(R) ::= expr(E).                           { R = E; }
item(R) ::= bound(A) COLON(T) bound(B).        { R = make_slice(p, A, T, B, NULL, NULL); }
item(R) ::= bound(A) COLON(T) bound(B) COLON(U) bound(C). {
    R = make_slice(p, A, T, B, &U, C);
}
bound(R) ::= .                                 { R = NULL; }
bound(R) ::= expr(E).                          { R = E; }

params(R) ::= .                                { R = (ParamList){0}; }
params(R) ::= paramlist(L).                    { R = L; }
params(R) ::= paramlist(L) COMMA.              { R = L; }
paramlist(R) ::= NAME(N).             { R = make_param(p, (ParamList){0}, N, NULL, NULL); }
paramlist(R) ::= NAME(N) EQ expr(E).  { R = make_param(p, (ParamList){0}, N, E, NULL); }
paramlist(R) ::= NAME(N) DOTS(T).     { R = make_param(p, (ParamList){0}, N, NULL, &T); }
paramlist(R) ::= paramlist(L) COMMA NAME(N).   { R = make_param(p, L, N, NULL, NULL); }
paramlist(R) ::= paramlist(L) COMMA NAME(N) EQ expr(E). { R = make_param(p, L, N, E, NULL); }
paramlist(R) ::= paramlist(L) COMMA NAME(N) DOTS(T). { R = make_param(p, L, N, NULL, &T); }

parts(R) ::= .                                 { R = (AstList){0}; }
parts(R) ::= parts(L) FTEXT(T).                { R = make_list(p, L, make_string(p, T)); }
parts(R) ::= parts(L) LHOLE(O) exprs(E) RHOLE(C). {
    R = make_list(p, L, make_hole(p, O, E, NULL, C, C));
}
parts(R) ::= parts(L) LHOLE(O) exprs(E) FSPEC(S) parts(M) RHOLE(C). {
    R = make_list(p, L, make_hole(p, O, E, &M, S, C));
}

%code {
/* Everything that knows how lemon keeps its stack. */
Status parse_lemon_new(Cx *cx, void **out) {
    yyParser *y = mem_alloc(&cx->mem, sizeof *y);
    *out = y;
    if (!y) return error_memory(cx, sizeof *y);
    parse_lemonInit(y);
    return ARR_OK;
}

void parse_lemon_free(Cx *cx, void *y) { mem_free(&cx->mem, y, sizeof(yyParser)); }

/* The grammar's actions for the token are run through without being done. states holds what the
 * reductions pushed above the parser's own stack, which is read only. */
bool parse_lemon_takes(const void *parser, int kind) {
    const yyParser *y = parser;
    YYACTIONTYPE states[64];
    int own = (int)(y->yytos - y->yystack), pushed = 0;
    for (;;) {
        YYACTIONTYPE top = pushed ? states[pushed - 1] : y->yystack[own].stateno;
        YYACTIONTYPE act = top >= YY_MIN_REDUCE ? top : yy_find_shift_action((YYCODETYPE)kind, top);
        if (act < YY_MIN_REDUCE) return act <= YY_MAX_SHIFTREDUCE || act == YY_ACCEPT_ACTION;
        unsigned rule = act - YY_MIN_REDUCE;
        int pop = -yyRuleInfoNRhs[rule];
        int from_pushed = pop < pushed ? pop : pushed;
        pushed -= from_pushed;
        own -= pop - from_pushed;
        top = pushed ? states[pushed - 1] : y->yystack[own].stateno;
        if (pushed == 64) return false;
        states[pushed++] = yy_find_reduce_action(top, yyRuleInfoLhs[rule]);
    }
}
}
