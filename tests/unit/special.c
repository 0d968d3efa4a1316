/* Unit test of the functions that a GPU computes by own formulas (kernels/scalar_special.h), as
 * plain C, against the C library's in 64-bit significands. Needs no GPU. */
#include "kernels/scalar.h"
static float x_reciprocal_near(float a) { return 1.0f / a; }
#include "kernels/scalar_special.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static int passed, failed;
static uint64_t state = 88172645463325252u;

static double uniform(void) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return (double)(state >> 11) * 0x1p-53;
}

/* Distance in units of the last place of a float with `digits` bits and least exponent `least`. */
static double ulps(double got, long double want, int digits, int least) {
    int e;
    if (isnan(got) || isnan(want)) return isnan(got) && isnan(want) ? 0 : INFINITY;
    if ((long double)got == want) return 0;
    if (isinf(got)) /* as the rounded value has it */
        return fabsl(want) >= (digits == 24 ? 0x1.ffffffp127L : 0x1.fffffffffffff8p1023L)
                   ? 0
                   : INFINITY;
    frexpl(want, &e);
    e = e - digits > least ? e - digits : least;
    return fabs((double)ldexpl((long double)got - want, -e));
}

static void check(const char *name, double x, double got, long double want, int digits, int least) {
    double off = ulps(got, want, digits, least);
    if (off <= 2.0) {
        passed++;
    } else if (++failed < 20) {
        printf("%s(%.17g) is %.17g, %.2f ulp off\n", name, x, got, off);
    }
}
static void erfc_f64(double x) { check("erfc f64", x, special_erfc_f64(x), erfcl(x), 53, -1074); }
static void erfc_f32(float x) { check("erfc f32", x, special_erfc_f32(x), erfcl(x), 24, -149); }

/* Below 0 by the recurrence, whose arguments are exact where x is one of f64 and not tiny: the C
 * library's own loses places near the poles. */
static long double gamma_value(double x) {
    long double product = 1, t = x;
    if (x > -1e-5 || x == floor(x)) return tgammal(x);
    for (; t < 1; t += 1) product *= t;
    return tgammal(t) / product;
}
static void gamma_f64(double x) {
    check("gamma f64", x, special_gamma_f64(x), gamma_value(x), 53, -1074);
}

int main(void) {
    static const double ends[] = {0.0,    -0.0,   INFINITY, -INFINITY, NAN,   27.2,  28,
                                  -28,    1e300,  5e-324,   1e-310,    -1e-9, 171.6, 171.624,
                                  171.63, 172.5,  1,        2,         0.5,   1.5,   -0.5,
                                  1e-16,  -1e-16, 10.05,    10.3,      -10.3, 1e30,  26.6};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        erfc_f64(ends[i]), erfc_f32((float)ends[i]), gamma_f64(ends[i]);
    for (int i = 0; i < 200000; i++) {
        double u = uniform(), tiny = ldexp(uniform() - 0.5, -(int)(60 * u));
        erfc_f64(27.3 * u), erfc_f64(-6 * u), erfc_f64(2 * u), erfc_f64(tiny);
        erfc_f32((float)(10.2 * u)), erfc_f32((float)(-4 * u)), erfc_f32((float)tiny);
        gamma_f64(171.6 * u), gamma_f64(4 * u), gamma_f64(-20 * u);
        gamma_f64(-183 * u);
        if (fabs(tiny) > 1e-300) gamma_f64(fabs(tiny));
    }
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
