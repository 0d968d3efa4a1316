# Imported by circle_b, which it imports.
import "circle_b.arr" as b
