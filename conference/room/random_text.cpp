// SPDX-License-Identifier: Apache-2.0
#include "conference/room/random_text.h"

#include <sys/random.h>

#include <cerrno>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace tactus::conference {

void kernelRandomBytes(std::span<std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = getrandom(bytes.data(), bytes.size(), 0);
    // A kernel without random bytes (before Linux 3.17) cannot keep a secret: nothing is to go on there.
    if (count < 0 && errno != EINTR) std::abort();
    if (count > 0) bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
}

std::string randomText(const RandomBytes& random, std::size_t bytes) {
  constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::vector<std::uint8_t> drawn(bytes);
  random(drawn);
  std::string text;
  for (std::size_t i = 0; i + 2 < bytes; i += 3) {
    const std::uint32_t three = drawn[i] << 16U | drawn[i + 1] << 8U | drawn[i + 2];
    for (const unsigned shift : {18U, 12U, 6U, 0U}) text += kAlphabet[three >> shift & 63U];
  }
  return text;
}

}  // namespace tactus::conference
