// SPDX-License-Identifier: Apache-2.0
#include "core/net/stream/handshake_fields.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "core/net/stream/percent_code.h"
#include "core/periodic/trace/format.h"

namespace tactus::net {
namespace {

bool isKey(std::string_view key) {
  return !key.empty() &&
         std::all_of(key.begin(), key.end(), [](char c) { return (c >= 'a' && c <= 'z') || c == '-'; });
}

}  // namespace

FieldReader::FieldReader(std::string_view line) {
  const std::size_t end = std::min(line.find(' '), line.size());
  m_word = line.substr(0, end);
  line.remove_prefix(end);
  // Each round begins at the space before a field.
  while (!line.empty() && !m_fault) {
    line.remove_prefix(1);
    const std::size_t size = std::min(line.find(' '), line.size());
    addField(line.substr(0, size));
    line.remove_prefix(size);
  }
}

void FieldReader::addField(std::string_view field) {
  const std::size_t equals = field.find('=');
  const std::string_view key = field.substr(0, equals);
  if (equals == std::string_view::npos || !isKey(key))
    return fail({ErrorCode::Corrupt, "A message has a field that is not key=value."});
  if (find(key) != nullptr) return fail({ErrorCode::Corrupt, "A message has a key twice."});
  auto value = percentDecoded(field.substr(equals + 1));
  if (!value) return fail({ErrorCode::Corrupt, "A message has a value that is not percent-encoded."});
  m_fields.push_back({key, std::move(*value)});
}

const std::string* FieldReader::find(std::string_view key) const noexcept {
  for (const Field& each : m_fields)
    if (each.key == key) return &each.value;
  return nullptr;
}

const std::string& FieldReader::text(std::string_view key) {
  static const std::string none;
  const std::string* value = find(key);
  if (value != nullptr) return *value;
  fail({ErrorCode::Corrupt,
        "A message '" + std::string(m_word) + "' lacks the key '" + std::string(key) + "'."});
  return none;
}

std::uint64_t FieldReader::number(std::string_view key, std::uint64_t largest) {
  const auto number = numberOf(text(key));
  if (!number || *number > largest) malformed(key);
  return number.value_or(0);
}

std::uint64_t FieldReader::hex64(std::string_view key) {
  const std::string& digits = text(key);
  const bool small = std::none_of(digits.begin(), digits.end(), [](char c) { return c >= 'A' && c <= 'F'; });
  std::uint64_t value = 0;
  const char* const end = digits.data() + digits.size();
  const auto read = std::from_chars(digits.data(), end, value, 16);
  if (digits.size() != 16 || !small || read.ec != std::errc{} || read.ptr != end) malformed(key);
  return value;
}

void FieldReader::malformed(std::string_view key) {
  fail({ErrorCode::Corrupt, "A message '" + std::string(m_word) + "' has a value of '" + std::string(key) +
                                "' that cannot stand there."});
}

void FieldReader::fail(Error error) {
  if (!m_fault) m_fault = std::move(error);
}

std::optional<std::uint64_t> FieldReader::numberOf(std::string_view digits) {
  std::uint64_t value = 0;
  const char* const end = digits.data() + digits.size();
  const auto read = std::from_chars(digits.data(), end, value);
  if (read.ec != std::errc{} || read.ptr != end) return std::nullopt;
  if (digits.size() > 1 && digits.front() == '0') return std::nullopt;
  return value;
}

void FieldWriter::text(std::string_view key, std::string_view value) {
  m_line += ' ';
  m_line += key;
  m_line += '=';
  m_line += percentEncoded(value);
}

void FieldWriter::hex64(std::string_view key, std::uint64_t value) {
  text(key, periodic::format("%016llx", static_cast<unsigned long long>(value)));
}

}  // namespace tactus::net
