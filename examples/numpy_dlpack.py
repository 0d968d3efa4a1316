"""A Python host without a binding: ctypes calls libarr, DLPack hands arrays to and fro, and nobody
copies an element. Usage: numpy_dlpack.py PATH/libarr.so

prints: Arr sums NumPy's array: 4950.0
prints: NumPy sees Arr's: [0. 2. 4.] float64 (100,) writeable False
prints: one memory: True; still there after arr_close: 9900.0
"""

import ctypes as c
import sys

import numpy as np

lib = c.CDLL(sys.argv[1] if len(sys.argv) > 1 else "libarr.so.0")
ARR_OK, NAME = 0, b"dltensor_versioned"
lib.arr_error_text.restype = c.c_char_p
lib.arr_value_free.argtypes = [c.c_void_p]
lib.arr_close.argtypes = [c.c_void_p]
capsule_new = c.pythonapi.PyCapsule_New
capsule_new.restype, capsule_new.argtypes = c.py_object, [c.c_void_p, c.c_char_p, c.c_void_p]
capsule_pointer = c.pythonapi.PyCapsule_GetPointer
capsule_pointer.restype, capsule_pointer.argtypes = c.c_void_p, [c.py_object, c.c_char_p]
capsule_rename = c.pythonapi.PyCapsule_SetName
capsule_rename.argtypes = [c.py_object, c.c_char_p]


class State:
    def __init__(self):
        self.A = c.c_void_p()
        self.check(lib.arr_open(None, c.byref(self.A)))

    def check(self, status):
        if status != ARR_OK:
            raise RuntimeError(lib.arr_error_text(self.A).decode())

    def eval(self, text):
        self.check(lib.arr_eval(self.A, text.encode(), b"python"))

    def set(self, name, array):
        """name becomes the memory of a NumPy array (anything with __dlpack__), not a copy."""
        capsule = array.__dlpack__(max_version=(1, 0))
        v = c.c_void_p()
        self.check(lib.arr_value_from_dlpack(
            self.A, c.c_void_p(capsule_pointer(capsule, NAME)), c.byref(v)))
        capsule_rename(capsule, b"used_dltensor_versioned")  # Arr gives the tensor back
        self.check(lib.arr_set(self.A, name.encode(), v))
        lib.arr_value_free(v)

    def get(self, name):
        """The array's memory as a NumPy array, for reading only."""
        v, tensor = c.c_void_p(), c.c_void_p()
        self.check(lib.arr_get(self.A, name.encode(), c.byref(v)))
        try:
            self.check(lib.arr_value_to_dlpack(v, c.byref(tensor)))
        finally:
            lib.arr_value_free(v)
        return np.from_dlpack(Tensor(tensor))

    def number(self, name):
        v, d = c.c_void_p(), c.c_double()
        self.check(lib.arr_get(self.A, name.encode(), c.byref(v)))
        self.check(lib.arr_value_as_float(v, c.byref(d)))
        lib.arr_value_free(v)
        return d.value

    def close(self):
        lib.arr_close(self.A)


class Tensor:
    """What np.from_dlpack asks for: a capsule, and where the memory is (1: the CPU)."""

    def __init__(self, pointer):
        self.pointer = pointer

    def __dlpack__(self, **_):
        return capsule_new(self.pointer, NAME, None)

    def __dlpack_device__(self):
        return (1, 0)


def main():
    A = State()
    x = np.arange(200.0)[::2] / 2
    A.set("x", x)
    A.eval("s = sum(x); y = eval(x * 2)")
    print("Arr sums NumPy's array:", A.number("s"))
    y, again = A.get("y"), A.get("y")
    print("NumPy sees Arr's:", y[:3], y.dtype, y.shape, "writeable", y.flags.writeable)
    one = np.shares_memory(y, again) and np.shares_memory(x, A.get("x"))
    A.close()
    print(f"one memory: {one}; still there after arr_close: {y.sum()}")


main()
