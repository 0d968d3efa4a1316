# Black-Scholes prices of calls and puts: one fused kernel for each column.
fn cdf(x) = 0.5 * erfc(-x / sqrt(2.0))

fn black_scholes(s, k, t, r, v) {
    d1 = (log(s / k) + (r + 0.5 * v * v) * t) / (v * sqrt(t))
    d2 = d1 - v * sqrt(t)
    call = s * cdf(d1) - k * exp(-r * t) * cdf(d2)
    put = k * exp(-r * t) * cdf(-d2) - s * cdf(-d1)
    return call, put
}

n = 100001
s = linspace(50, 150, n)
call, put = black_scholes(s, 100.0, 1.0, 0.02, 0.3)
parity = max(abs((call - put) - (s - 100 * exp(-0.02))))
print(f"mean call {float(mean(call)):.9f}, mean put {float(mean(put)):.9f}")
print(f"at the money {float(call[n // 2]):.9f} {float(put[n // 2]):.9f}")
print("parity holds", bool(parity < 1e-10))
