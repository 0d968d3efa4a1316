/* A C host: an array goes in, Arr computes, the result comes out.
 * prints: 4 numbers, their mean is 2.5, standardized: -1.34 -0.45 0.45 1.34 */
#include <arr.h>
#include <stdio.h>

int main(void) {
    double x[] = {1, 2, 3, 4}, mean;
    arr_state *A = NULL;
    arr_value *in = NULL, *m = NULL, *out = NULL;
    int ok = arr_open(NULL, &A) == ARR_OK &&
             arr_value_array(A, ARR_F64, 1, (int64_t[]){4}, x, &in) == ARR_OK &&
             arr_set(A, "x", in) == ARR_OK &&
             arr_eval(A, "m = mean(x); z = (x - m) / std(x)", "embed") == ARR_OK &&
             arr_get(A, "m", &m) == ARR_OK && arr_value_as_float(m, &mean) == ARR_OK &&
             arr_get(A, "z", &out) == ARR_OK && arr_value_read(out, x, sizeof x) == ARR_OK;
    if (ok) printf("4 numbers, their mean is %g, standardized:", mean);
    for (int i = 0; ok && i < 4; i++) printf(" %.2f", x[i]);
    puts(ok ? "" : arr_error_text(A));
    arr_value_free(in), arr_value_free(m), arr_value_free(out);
    arr_close(A);
    return !ok;
}
