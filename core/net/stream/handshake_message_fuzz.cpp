// SPDX-License-Identifier: Apache-2.0
// libFuzzer: whatever bytes a peer sends on the control connection, and whatever address a user types.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "core/net/stream/handshake_message.h"
#include "core/net/stream/line_reader.h"
#include "core/net/stream/stream_address.h"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void parseLine(std::string_view line) {
  const auto message = tactus::net::parseHandshake(line);
  if (!message) return;
  const auto written = tactus::net::formatHandshake(message.value());
  require(written.ok());
  const std::string_view again = written.value();
  require(again.ends_with('\n') && again.size() <= tactus::net::LineReader::kLongestLine);
  require(tactus::net::parseHandshake(again.substr(0, again.size() - 1)).value() == message.value());
}

void parseAddress(std::string_view text) {
  const auto address = tactus::net::StreamAddress::parse(text);
  if (!address) return;
  const auto written = address.value().format();
  require(written.ok());
  require(tactus::net::StreamAddress::parse(written.value()).value() == address.value());
}

void readLines(std::string_view bytes) {
  tactus::net::LineReader reader;
  while (!bytes.empty()) {
    const std::size_t taken = reader.push(bytes);
    require(taken > 0);
    bytes.remove_prefix(taken);
    while (true) {
      const auto line = reader.pop();
      if (!line) return;
      if (!line.value()) break;
      parseLine(*line.value());
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  parseLine(bytes);
  parseAddress(bytes);
  readLines(bytes);
  return 0;
}
