// A C++ host: arr.hpp gives everything back, also when an exception flies.
// prints: the vector was lent: sum 4950
// prints: squares: 0 1 4 9 16
// prints: scaled(3) is [0. 3. 6.]
// prints: name: unknown name 'nope'
// prints: from the host: too large
#include "examples/arr.hpp"

#include <cstdio>
#include <numeric>

int main() {
    try {
        arr::State A;
        std::vector<double> x(100);
        std::iota(x.begin(), x.end(), 0.0);
        A.set("x", A.lend(std::move(x)));
        std::printf("the vector was lent: sum %g\n", A.value_of("sum(x)").to_double());

        A.set("k", std::vector<std::int32_t>{0, 1, 2, 3, 4});
        std::printf("squares:");
        for (std::int32_t s : A.value_of("k * k").to_vector<std::int32_t>()) std::printf(" %d", s);

        A.define("scaled(by)", "x[:3] times a number of at most 10.",
                 [](arr::State &S, const std::vector<const arr_value *> &args) {
                     double by = 0;
                     if (arr_value_as_float(args[0], &by) != ARR_OK || by > 10)
                         throw std::runtime_error("too large");
                     S.set("by", by);
                     return S.value_of("x[:3] * by");
                 });
        std::printf("\nscaled(3) is %s\n", A.value_of("scaled(3)").to_string().c_str());
        for (const char *bad : {"nope", "scaled(11)"}) {
            try {
                A.eval(bad);
            } catch (const arr::Error &e) {
                bool own = e.status() == ARR_ERR_USER;
                std::printf("%s: %s\n", own ? "from the host" : arr_status_name(e.status()),
                            arr_error_message(A.get()));
            }
        }
    } catch (const std::exception &e) {
        std::printf("%s\n", e.what());
        return 1;
    }
}
