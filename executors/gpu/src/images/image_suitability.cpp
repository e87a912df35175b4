// SPDX-License-Identifier: Apache-2.0
#include <charconv>

#include <pianola/gpu/image_suitability.hpp>

namespace pianola::gpu {

namespace {

constexpr std::string_view nvidia_prefix = "sm_";
constexpr std::string_view intermediate_prefix = "ptx:";

bool take(std::string_view& text, std::string_view prefix) noexcept {
  if (text.substr(0, prefix.size()) != prefix) return false;
  text.remove_prefix(prefix.size());
  return true;
}

struct compute_capability {
  int number = 0;  // 10 * major + minor; 0: not understood
  char suffix = 0;
  [[nodiscard]] int major() const noexcept { return number / 10; }
};

compute_capability capability(std::string_view digits) noexcept {
  compute_capability c;
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, c.number);
  if (error != std::errc() || c.number < 10 || end - stop > 1) return {};
  if (stop != end) c.suffix = *stop;
  if (c.suffix != 0 && c.suffix != 'a' && c.suffix != 'f') return {};
  return c;
}

int suits_nvidia(std::string_view device, std::string_view image) noexcept {
  const bool intermediate = take(image, intermediate_prefix);
  if (!take(image, nvidia_prefix)) return 0;
  const compute_capability has = capability(device);
  const compute_capability wants = capability(image);
  if (has.number == 0 || wants.number == 0 || wants.number > has.number) return 0;
  if (wants.suffix == 'a' && wants.number != has.number) return 0;
  if ((!intermediate || wants.suffix == 'f') && wants.major() != has.major()) return 0;
  // What was made for fewer devices knows more of them.
  const int rank = 10 * wants.number + (wants.suffix == 'a' ? 2 : wants.suffix == 'f' ? 1 : 0);
  return intermediate ? rank : 1'000'000 + rank;
}

int suits_amd(std::string_view device, std::string_view image) noexcept {
  const auto cut = [](std::string_view& rest) {
    const std::size_t colon = rest.find(':');
    const std::string_view word = rest.substr(0, colon);
    rest = colon == std::string_view::npos ? std::string_view() : rest.substr(colon + 1);
    return word;
  };
  if (cut(device) != cut(image)) return 0;
  int rank = 1;
  while (!image.empty()) {
    const std::string_view feature = cut(image);
    bool found = false;
    for (std::string_view features = device; !features.empty() && !found;)
      found = cut(features) == feature;
    if (!found) return 0;
    ++rank;
  }
  return rank;
}

}  // namespace

int image_suitability(std::string_view device, std::string_view image) noexcept {
  if (take(device, nvidia_prefix)) return suits_nvidia(device, image);
  if (device.substr(0, 3) == "gfx") return suits_amd(device, image);
  return !device.empty() && device == image ? 1 : 0;
}

}  // namespace pianola::gpu
