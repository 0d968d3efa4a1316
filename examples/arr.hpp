// arr.hpp - arr.h for C++17: states and values that give themselves back, errors as exceptions.
//
//     arr::State A;
//     A.set("x", std::vector<double>{1, 2, 3});
//     A.eval("y = x * 2");
//     std::vector<double> y = A.get("y").to_vector<double>();
//
// Everything is in this header; values must not outlive their use by another thread than their
// state's, as arr.h says. A moved-from object may only be assigned to or destroyed.
#ifndef ARR_HPP
#define ARR_HPP

#include <arr.h>

#include <complex>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace arr {

class Error : public std::runtime_error {
  public:
    Error(arr_status status, const std::string &text) : std::runtime_error(text), status_(status) {}
    arr_status status() const { return status_; }

  private:
    arr_status status_;
};

// The dtype of a C++ type.
template <class T> struct dtype_of;
#define ARR_DTYPE(type, name) \
    template <> struct dtype_of<type> { static constexpr arr_dtype value = name; }
ARR_DTYPE(std::int8_t, ARR_I8);
ARR_DTYPE(std::int16_t, ARR_I16);
ARR_DTYPE(std::int32_t, ARR_I32);
ARR_DTYPE(std::int64_t, ARR_I64);
ARR_DTYPE(std::uint8_t, ARR_U8);
ARR_DTYPE(std::uint16_t, ARR_U16);
ARR_DTYPE(std::uint32_t, ARR_U32);
ARR_DTYPE(std::uint64_t, ARR_U64);
ARR_DTYPE(float, ARR_F32);
ARR_DTYPE(double, ARR_F64);
ARR_DTYPE(std::complex<float>, ARR_C64);
ARR_DTYPE(std::complex<double>, ARR_C128);
#undef ARR_DTYPE

// A handle of a value; copies would need the state, so it moves only.
class Value {
  public:
    Value() = default;
    Value(arr_state *A, arr_value *v) : A_(A), v_(v) {}

    arr_value *get() const { return v_.get(); }
    arr_value *release() { return v_.release(); } // to be freed by the caller
    arr_kind kind() const { return arr_value_kind(get()); }
    arr_dtype dtype() const { return arr_value_dtype(get()); }
    std::vector<std::int64_t> shape() const {
        const std::int64_t *s = arr_value_shape(get());
        return std::vector<std::int64_t>(s, s + arr_value_rank(get()));
    }
    double to_double() const {
        double d = 0;
        check(arr_value_as_float(get(), &d));
        return d;
    }
    std::int64_t to_int() const {
        std::int64_t i = 0;
        check(arr_value_as_int(get(), &i));
        return i;
    }
    std::string to_string() const {
        const char *text = nullptr;
        check(arr_value_format(get(), &text));
        return text;
    }
    // The elements in C order; T must be the array's own type.
    template <class T> std::vector<T> to_vector() const {
        std::size_t n = 1;
        for (int j = 0; j < arr_value_rank(get()); j++)
            n *= static_cast<std::size_t>(arr_value_shape(get())[j]);
        if (dtype() != dtype_of<T>::value)
            throw Error(ARR_ERR_DTYPE, "the array's dtype is not the vector's");
        std::vector<T> out(n);
        check(arr_value_read(get(), out.data(), n * sizeof(T)));
        return out;
    }

  private:
    void check(arr_status st) const {
        if (st != ARR_OK) throw Error(st, arr_error_text(A_));
    }
    struct Free {
        void operator()(arr_value *v) const { arr_value_free(v); }
    };
    arr_state *A_ = nullptr;
    std::unique_ptr<arr_value, Free> v_;
};

class State {
  public:
    using Function = std::function<Value(State &, const std::vector<const arr_value *> &)>;

    explicit State(const char *device = "cpu") : State(with_device(device)) {}
    explicit State(const arr_config &config) {
        arr_state *A = nullptr;
        arr_status st = arr_open(&config, &A);
        if (st != ARR_OK) throw Error(st, "no state could be opened");
        A_.reset(A);
    }

    arr_state *get() const { return A_.get(); }
    void eval(const std::string &text, const char *name = "text") {
        check(arr_eval_n(get(), text.data(), text.size(), name, nullptr));
    }
    Value value_of(const std::string &text, const char *name = "text") {
        return take(
            [&](arr_value **v) { return arr_eval_n(get(), text.data(), text.size(), name, v); });
    }
    Value get(const char *name) {
        return take([&](arr_value **v) { return arr_get(get(), name, v); });
    }
    void set(const char *name, const Value &v) { check(arr_set(get(), name, v.get())); }
    void set(const char *name, double d) { set(name, number(d)); }
    // Copied; lend() does not.
    template <class T> void set(const char *name, const std::vector<T> &x) {
        const std::int64_t n = static_cast<std::int64_t>(x.size());
        set(name, take([&](arr_value **v) {
                return arr_value_array(get(), dtype_of<T>::value, 1, &n, x.data(), v);
            }));
    }
    // The vector becomes the array's memory and goes with it.
    template <class T> Value lend(std::vector<T> &&x) {
        auto owner = std::make_unique<std::vector<T>>(std::move(x));
        const std::int64_t n = static_cast<std::int64_t>(owner->size());
        arr_view view = ARR_VIEW_INIT;
        view.data = owner->data(), view.dtype = dtype_of<T>::value, view.rank = 1, view.shape = &n;
        auto release = [](void *user) { delete static_cast<std::vector<T> *>(user); };
        Value v = take([&](arr_value **out) {
            return arr_value_array_wrap(get(), &view, release, owner.get(), out);
        });
        owner.release();
        return v;
    }
    Value number(double d) {
        return take([&](arr_value **v) { return arr_value_float(get(), d, v); });
    }
    // Any callable as a function of programs; its exceptions become their errors.
    void define(const char *signature, const char *doc, Function f) {
        auto own = std::make_unique<Bound>(Bound{this, std::move(f)});
        arr_function def = {sizeof def, signature, doc, call, own.get(), destroy};
        check(arr_define_function(get(), &def));
        own.release();
    }

  private:
    struct Bound {
        State *state;
        Function f;
    };
    struct Close {
        void operator()(arr_state *A) const { arr_close(A); }
    };

    static arr_config with_device(const char *device) {
        arr_config c = ARR_CONFIG_INIT;
        c.device = device;
        return c;
    }
    static arr_status call(arr_state *A, void *user, std::size_t n, const arr_value *const *args,
                           arr_value **out) {
        try {
            Bound *b = static_cast<Bound *>(user);
            *out = b->f(*b->state, std::vector<const arr_value *>(args, args + n)).release();
            return ARR_OK;
        } catch (const Error &e) {
            return arr_fail(A, e.status(), e.what());
        } catch (const std::exception &e) {
            return arr_fail(A, ARR_ERR_USER, e.what());
        }
    }
    static void destroy(void *user) { delete static_cast<Bound *>(user); }
    void check(arr_status st) const {
        if (st != ARR_OK) throw Error(st, arr_error_text(get()));
    }
    template <class Make> Value take(Make make) {
        arr_value *v = nullptr;
        check(make(&v));
        return Value(get(), v);
    }
    std::unique_ptr<arr_state, Close> A_;
};

} // namespace arr

#endif
