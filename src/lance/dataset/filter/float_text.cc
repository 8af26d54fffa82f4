#include "lance/dataset/filter/float_text.h"

#include <array>
#include <charconv>
#include <cmath>
#include <string_view>

namespace lance::filter {

namespace {

/// Digits d1 d2 ... and the place of the point among them: 0.d1d2... times 10 ^ point.
struct Digits {
  std::string text;
  int point = 0;
};

template <typename Float>
Digits ShortestDigits(Float number) {
  std::array<char, 64> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number,
                                 std::chars_format::scientific)
                       .ptr;
  const std::string_view text(buffer.data(), static_cast<size_t>(end - buffer.data()));
  const size_t exponent = text.find('e');
  Digits digits;
  for (const char c : text.substr(0, exponent)) {
    if (c != '.') digits.text += c;
  }
  const std::string_view power = text.substr(exponent + (text[exponent + 1] == '+' ? 2 : 1));
  std::from_chars(power.data(), power.data() + power.size(), digits.point);
  ++digits.point;
  while (digits.text.size() > 1 && digits.text.back() == '0') digits.text.pop_back();
  return digits;
}

template <typename Float>
std::string Write(Float number, int most_whole_digits, int least_point) {
  if (std::isnan(number)) return "NaN";
  const std::string sign = std::signbit(number) ? "-" : "";
  if (std::isinf(number)) return sign + "inf";
  if (number == 0) return sign + "0.0";
  const Digits digits = ShortestDigits(std::abs(number));
  const auto count = static_cast<int>(digits.text.size());
  if (digits.point > 0 && digits.point <= most_whole_digits) {
    const auto point = static_cast<size_t>(digits.point);
    if (digits.point < count) {
      return sign + digits.text.substr(0, point) + "." + digits.text.substr(point);
    }
    return sign + digits.text + std::string(point - digits.text.size(), '0') + ".0";
  }
  if (digits.point <= 0 && digits.point > least_point) {
    return sign + "0." + std::string(static_cast<size_t>(-digits.point), '0') + digits.text;
  }
  const std::string fraction = count > 1 ? "." + digits.text.substr(1) : "";
  return sign + digits.text.substr(0, 1) + fraction + "e" + std::to_string(digits.point - 1);
}

}  // namespace

std::string FloatText(double number) { return Write(number, 16, -5); }
std::string FloatText(float number) { return Write(number, 13, -6); }

}  // namespace lance::filter
