# Rows whose reductions feed one another: one group, walked as often as the chain is long.
v = eval(f32(arange(600 * 300).reshape(600, 300)) % 17)
fn softmax_rows(x) {
    e = exp(x - max(x, axis=1, keepdims=true))
    return e / sum(e, axis=1, keepdims=true)
}
eval(softmax_rows(v))
eval(layer_norm(v))
eval(v - logsumexp(v, axis=1, keepdims=true))
eval((v - mean(v, axis=0)) / std(v, axis=0))
