// SPDX-License-Identifier: Apache-2.0
#include "plugins/av/subtitle_file.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <utility>

#include "plugins/av/demuxer.h"
#include "plugins/gst_handle.h"

namespace tactus::plugins::av {
namespace {

constexpr std::size_t kMostBytes = std::size_t{64} << 20;
constexpr std::size_t kBlock = std::size_t{256} << 10;

/// Text in memory.
class Memory final : public ByteSource {
 public:
  explicit Memory(std::string bytes) : m_bytes(std::move(bytes)) {}
  int read(std::span<std::uint8_t> into) override {
    const std::size_t count = std::min(into.size(), m_bytes.size() - m_position);
    std::memcpy(into.data(), m_bytes.data() + m_position, count);
    m_position += count;
    return static_cast<int>(count);
  }
  bool seek(std::int64_t position) override {
    if (position < 0 || position > size()) return false;
    m_position = static_cast<std::size_t>(position);
    return true;
  }
  [[nodiscard]] std::int64_t size() const override { return static_cast<std::int64_t>(m_bytes.size()); }
  [[nodiscard]] bool seekable() const override { return true; }

 private:
  const std::string m_bytes;
  std::size_t m_position = 0;
};

bool isUtf8(const std::string& bytes) {
  return g_utf8_validate_len(bytes.data(), bytes.size(), nullptr) != FALSE;
}

std::string converted(const std::string& bytes, const char* from) {
  gsize length = 0;
  const CharPtr text(g_convert_with_fallback(bytes.data(), static_cast<gssize>(bytes.size()), "UTF-8", from,
                                             "?", nullptr, &length, nullptr));
  return text ? std::string(text.get(), length) : std::string();
}

/// UTF-16 without a byte order mark has a zero in most pairs of bytes: the upper half of a Latin letter, of a
/// digit of a time.
const char* wideEncoding(const std::string& bytes) {
  if (bytes.starts_with("\xff\xfe") || bytes.starts_with("\xfe\xff")) return "UTF-16";
  const std::size_t looked = std::min(bytes.size(), std::size_t{4096}) & ~std::size_t{1};
  std::size_t zeros[2] = {0, 0};
  for (std::size_t i = 0; i < looked; ++i) zeros[i % 2] += bytes[i] == '\0';
  if (zeros[1] > looked / 8 && zeros[0] == 0) return "UTF-16LE";
  if (zeros[0] > looked / 8 && zeros[1] == 0) return "UTF-16BE";
  return nullptr;
}

std::string inUtf8(std::string bytes) {
  if (const char* wide = wideEncoding(bytes)) {
    std::string text = converted(bytes, wide);
    return text.starts_with("\xef\xbb\xbf") ? text.substr(3) : text;
  }
  if (bytes.starts_with("\xef\xbb\xbf")) return bytes.substr(3);
  // Bytes that are no text at all (pictures) stay as they are.
  if (isUtf8(bytes) || bytes.find('\0') != std::string::npos) return bytes;
  return converted(bytes, "WINDOWS-1252");
}

Result<std::string> contentOf(const std::string& path, const std::string& name) {
  const Error tooLong{ErrorCode::Unsupported, "'" + name + "' is too long for subtitles."};
  auto opened = openFile(path, std::make_shared<Cancellation>());
  if (!opened.ok()) return opened.error();
  ByteSource& file = *opened.value();
  if (!file.seekable())
    return Error{ErrorCode::Unsupported, "'" + name + "' is no file, which subtitles are read from."};
  if (file.size() > static_cast<std::int64_t>(kMostBytes)) return tooLong;
  std::string bytes;
  for (;;) {
    const std::size_t before = bytes.size();
    bytes.resize(before + kBlock);
    const int count = file.read({reinterpret_cast<std::uint8_t*>(bytes.data()) + before, kBlock});
    if (count < 0) return Error{ErrorCode::System, "'" + name + "' cannot be read: " + wordsOf(count) + "."};
    bytes.resize(before + static_cast<std::size_t>(count));
    if (count == 0) return bytes;
    if (bytes.size() > kMostBytes) return tooLong;
  }
}

}  // namespace

Result<SubtitleFile> readSubtitleFile(const std::string& path) {
  const std::string name = std::filesystem::path(path).filename().string();
  auto content = contentOf(path, name);
  if (!content.ok()) return content.error();
  auto opened = Demuxer::open(std::make_unique<Memory>(inUtf8(std::move(content).value())), name,
                              std::make_shared<Cancellation>(), Expected::Subtitles);
  const Error none{ErrorCode::Corrupt, "'" + name + "' holds no subtitles that can be read."};
  if (!opened.ok()) return none;
  Demuxer& demuxer = *opened.value();
  const int index = demuxer.best(AVMEDIA_TYPE_SUBTITLE);
  if (index < 0) return none;
  SubtitleFile file;
  file.name = name;
  file.parameters = copyOf(*demuxer.container().streams[index]->codecpar);
  if (!file.parameters) return Error{ErrorCode::System, "There is no memory for subtitles."};
  for (;;) {
    Demuxer::Read read = demuxer.read();
    if (read.outcome != Demuxer::Outcome::Packet) break;
    if (read.stream == index) file.packets.push_back(std::move(read.packet));
  }
  if (file.packets.empty()) return none;
  std::stable_sort(file.packets.begin(), file.packets.end(),
                   [](const PacketPtr& a, const PacketPtr& b) { return a->pts < b->pts; });
  return file;
}

}  // namespace tactus::plugins::av
