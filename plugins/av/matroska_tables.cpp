// SPDX-License-Identifier: Apache-2.0
#include "plugins/av/matroska_tables.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <vector>

namespace tactus::plugins::av {
namespace {

constexpr std::uint64_t kEbml = 0x1a45dfa3, kSegment = 0x18538067, kCluster = 0x1f43b675,
                        kChapters = 0x1043a770, kTags = 0x1254c367, kTracks = 0x1654ae6b,
                        kSeekHead = 0x114d9b74, kSeekEntry = 0x4dbb, kSeekPosition = 0x53ac;
constexpr std::int64_t kMostBytes = 512 * 1024;  // of chapters and tags
constexpr int kMostElements = 1000;              // of one, that are looked at

struct Element {
  std::uint64_t id = 0;
  std::int64_t begin = 0, end = 0;  ///< of what is in it, no further than the file goes
};

/// A number that says in its first bits how many bytes it has; with these bits if it is an id.
std::optional<std::uint64_t> readNumber(AVIOContext& file, bool id) {
  const auto first = static_cast<std::uint8_t>(avio_r8(&file));
  if (first == 0) return std::nullopt;
  const int more = std::countl_zero(first);
  std::uint64_t value = id ? first : first & (0x7fU >> more);
  for (int i = 0; i < more; ++i) value = value << 8 | static_cast<std::uint8_t>(avio_r8(&file));
  return value;
}

std::optional<Element> readElement(AVIOContext& file, std::int64_t at, std::int64_t limit) {
  if (at >= limit || avio_seek(&file, at, SEEK_SET) < 0) return std::nullopt;
  const auto id = readNumber(file, true);
  const auto size = readNumber(file, false);
  const std::int64_t begin = avio_tell(&file);
  if (!id || !size || avio_feof(&file) != 0 || begin > limit) return std::nullopt;
  const auto room = static_cast<std::uint64_t>(limit - begin);
  return Element{*id, begin, begin + static_cast<std::int64_t>(std::min(*size, room))};
}

/// Calls `visit` with each element in the range until it says false.
template <typename Visit>
void forEach(AVIOContext& file, std::int64_t begin, std::int64_t end, Visit visit) {
  for (int i = 0; i < kMostElements; ++i) {
    const auto element = readElement(file, begin, end);
    if (!element || !visit(*element)) return;
    begin = element->end;
  }
}

class Tables {
 public:
  explicit Tables(AVIOContext& file) : m_file(file), m_size(avio_size(&file)) {}

  void look(Reach reach) {
    const auto head = readElement(m_file, 0, m_size);
    if (!head || head->id != kEbml) return;
    const auto segment = readElement(m_file, head->end, m_size);
    if (!segment || segment->id != kSegment) return;
    forEach(m_file, segment->begin, segment->end, [&](const Element& element) {
      add(element);
      if (element.id == kSeekHead && reach == Reach::SeekHead) follow(element, segment->begin);
      return element.id != kCluster;
    });
  }
  [[nodiscard]] bool tooLarge() const noexcept { return m_bytes > kMostBytes || m_tracks >= kMostElements; }

 private:
  void add(const Element& element) {
    const bool known = std::find(m_seen.begin(), m_seen.end(), element.begin) != m_seen.end();
    const bool compared = element.id == kChapters || element.id == kTags;
    if (known || (!compared && element.id != kTracks)) return;
    m_seen.push_back(element.begin);
    if (compared) m_bytes += element.end - element.begin;
    if (element.id == kTracks)
      forEach(m_file, element.begin, element.end, [this](const Element&) { return ++m_tracks > 0; });
  }

  void follow(const Element& seekHead, std::int64_t origin) {
    forEach(m_file, seekHead.begin, seekHead.end, [&](const Element& entry) {
      if (entry.id != kSeekEntry) return true;
      forEach(m_file, entry.begin, entry.end, [&](const Element& part) {
        if (part.id == kSeekPosition) addAt(origin + positionIn(part));
        return true;
      });
      return true;
    });
  }

  std::int64_t positionIn(const Element& part) {
    avio_seek(&m_file, part.begin, SEEK_SET);
    std::uint64_t position = 0;
    for (std::int64_t i = part.begin; i < part.end && i < part.begin + 8; ++i)
      position = position << 8 | static_cast<std::uint8_t>(avio_r8(&m_file));
    return static_cast<std::int64_t>(std::min<std::uint64_t>(position, static_cast<std::uint64_t>(m_size)));
  }

  void addAt(std::int64_t position) {
    if (const auto element = readElement(m_file, position, m_size)) add(*element);
  }

  AVIOContext& m_file;
  const std::int64_t m_size;
  std::vector<std::int64_t> m_seen;  // where tables begin
  std::int64_t m_bytes = 0;          // of chapters and tags
  int m_tracks = 0;
};

}  // namespace

bool hasTooLargeTables(AVIOContext& file, Reach reach) {
  Tables tables(file);
  tables.look(reach);
  avio_seek(&file, 0, SEEK_SET);
  return tables.tooLarge();
}

}  // namespace tactus::plugins::av
