#pragma once

#include <string>

namespace lance::filter {

/// The shortest text of a float that reads as the same, in the form of the reference: with a point
/// up to 1e16 (floats of 32 bits: 1e13) and down to 0.00001, with an exponent beyond.
std::string FloatText(double number);
std::string FloatText(float number);

}  // namespace lance::filter
