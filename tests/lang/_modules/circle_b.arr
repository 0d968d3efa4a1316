import "circle_a.arr" as a
