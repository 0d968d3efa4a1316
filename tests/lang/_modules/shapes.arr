# A module for modules.arr.
import "sub/units.arr" as units

count = 2
_secret = 7
fn area(w, h=count) = w * h * units.scale
fn secret() = _secret
fn bump() = count + 1
fn zeros_here() = zeros(2).dtype
