// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/periodic/result.h"
#include "plugins/av/demuxer.h"

namespace tactus::media {

/// Reads a film and writes its pictures and its sound, as they are encoded, in a container that can be read
/// while it comes: MPEG's transport stream, which a reader can join, where that carries both, else Matroska,
/// which it cannot join. One thread at a time; the cancellation ends its waits.
class FilmMuxer {
 public:
  enum class Container { TransportStream, Matroska };
  using Outcome = plugins::av::Demuxer::Outcome;

  /// What came of one packet; at the end, of all that was held back.
  struct Piece {
    Outcome outcome = Outcome::End;
    std::span<const std::byte> bytes = {};  ///< until the next call; may be none
    periodic::Duration at{0};  ///< decoding time from the film's beginning; does not decrease, at least 0
    std::string problem = {};  ///< BrokeOff: the end of a sentence
  };

  /// `name` is what sentences call it. Errors: those of Demuxer::open(); Unsupported: nothing of it can be
  /// sent. One sentence. Blocking.
  [[nodiscard]] static Result<std::unique_ptr<FilmMuxer>> open(
      std::unique_ptr<plugins::av::ByteSource> source, std::string name,
      std::shared_ptr<plugins::av::Cancellation> cancellation);
  ~FilmMuxer();
  FilmMuxer(const FilmMuxer&) = delete;
  FilmMuxer& operator=(const FilmMuxer&) = delete;

  [[nodiscard]] Container container() const noexcept { return m_container; }
  /// Bytes of a packet of the container, which are best sent together; 1: it has none.
  [[nodiscard]] std::size_t unit() const noexcept;
  /// Else it has sound alone.
  [[nodiscard]] bool hasPictures() const noexcept;
  /// As the header says; 0 where it does not.
  [[nodiscard]] std::int64_t bitsPerSecond() const noexcept { return m_film->container().bit_rate; }
  /// Blocking. Not called again once it was not a packet.
  [[nodiscard]] Piece next();

 private:
  /// One stream of the film, and of what is written.
  struct Lane {
    int from = 0;
    AVStream* to = nullptr;
    periodic::Duration reordering{0};             ///< pictures are decoded so long before they are shown
    std::optional<periodic::Duration> next = {};  ///< decoding time behind the packet before
    std::int64_t last = AV_NOPTS_VALUE;           ///< decoding time of the packet before, in units of `to`
  };
  FilmMuxer(std::unique_ptr<plugins::av::Demuxer> film, std::string name);
  [[nodiscard]] Result<void> begin();
  [[nodiscard]] Result<void> addLanes(const std::vector<const plugins::av::FilmStream*>& streams);
  [[nodiscard]] Result<void> writeHeader();
  /// False where the muxer does not take it.
  [[nodiscard]] bool write(AVPacket& packet);
  [[nodiscard]] periodic::Duration decodingTime(const AVPacket& packet, const Lane& lane) const;
  void stamp(AVPacket& packet, Lane& lane) const;
  [[nodiscard]] Piece finish(Outcome outcome, std::string problem);
  [[nodiscard]] Error refusal(int error) const;

  const std::unique_ptr<plugins::av::Demuxer> m_film;
  const std::string m_name;
  Container m_container = Container::TransportStream;
  AVFormatContext* m_muxer = nullptr;
  bool m_begun = false;  // its header is written
  std::vector<Lane> m_lanes;
  std::vector<std::byte> m_bytes;  // written since the last piece
  bool m_given = false;            // all of them were
  periodic::Duration m_at{0};
  int m_refused = 0;  // packets in a row
};

}  // namespace tactus::media
