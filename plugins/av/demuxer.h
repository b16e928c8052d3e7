// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/periodic/result.h"
#include "plugins/av/av_handle.h"
#include "plugins/av/byte_source.h"
#include "plugins/av/film_times.h"

namespace tactus::plugins::av {

/// One stream of a film. Borrowed from its Demuxer.
struct FilmStream {
  int index = 0;  ///< in the container
  AVMediaType kind = AVMEDIA_TYPE_UNKNOWN;
  const AVCodecParameters* parameters = nullptr;
  AVRational rate{0, 1};  ///< pictures a second; 0/1 = unknown
  int disposition = 0;    ///< AV_DISPOSITION_...
  [[nodiscard]] bool isCover() const noexcept { return (disposition & AV_DISPOSITION_ATTACHED_PIC) != 0; }
};

/// What a file may be.
enum class Expected {
  Film,      ///< or a sound; nothing that opens other files or addresses
  Subtitles  ///< text or pictures of subtitles alone
};

/// A font that a film brings for its subtitles.
struct AttachedFont {
  std::string name;
  std::vector<std::uint8_t> bytes;
};

/// A container, read by libavformat from a byte source. Nothing but that source is ever opened. Times are in
/// nanoseconds from the film's beginning. One thread at a time; Cancellation ends its waits.
class Demuxer {
 public:
  /// Reads as much as it takes to know the streams: a few megabytes, or seconds of film, at most. `name`
  /// helps to tell the format, and is what sentences call it. Errors: Corrupt, Unsupported, Unavailable
  /// (cancelled), those of reading; one sentence.
  [[nodiscard]] static Result<std::unique_ptr<Demuxer>> open(std::unique_ptr<ByteSource> source,
                                                             std::string name,
                                                             std::shared_ptr<Cancellation> cancellation,
                                                             Expected expected = Expected::Film);
  ~Demuxer();
  Demuxer(const Demuxer&) = delete;
  Demuxer& operator=(const Demuxer&) = delete;

  [[nodiscard]] const std::vector<FilmStream>& streams() const noexcept { return m_streams; }
  [[nodiscard]] const AVFormatContext& container() const noexcept { return *m_container; }
  /// The container's best stream of a kind; -1 without any. A cover is none.
  [[nodiscard]] int best(AVMediaType kind) const;
  /// Whether a seek may begin with the packet: a keyframe of the pictures, or any of sound alone.
  [[nodiscard]] bool isEntry(const AVPacket& packet) const noexcept;
  /// As the header says; absent where it does not.
  [[nodiscard]] std::optional<periodic::Duration> duration() const noexcept;
  [[nodiscard]] bool seekable() const noexcept;
  /// As ByteSource::again().
  [[nodiscard]] std::unique_ptr<ByteSource> again(std::shared_ptr<Cancellation> cancellation) const {
    return m_source->again(std::move(cancellation));
  }
  /// Fonts among the attachments, 64 MiB at most.
  [[nodiscard]] std::vector<AttachedFont> fonts() const;
  /// Of the film, and of one stream; they change while it is read.
  [[nodiscard]] const AVDictionary* tags() const noexcept { return m_container->metadata; }
  [[nodiscard]] const AVDictionary* tagsOf(const FilmStream& stream) const noexcept {
    return m_container->streams[stream.index]->metadata;
  }
  /// read() gives packets of these two streams alone.
  void keepOnly(int one, int other);

  enum class Outcome { Packet, End, Cancelled, BrokeOff };
  struct Read {
    Outcome outcome = Outcome::End;
    PacketPtr packet;  ///< times in nanoseconds, from the film's beginning
    int stream = 0;
    std::string problem;       ///< BrokeOff: the end of a sentence
    bool tagsChanged = false;  ///< the container's, or the stream's, from this packet on
  };
  [[nodiscard]] Read read();

  /// Reads on to `target` where stamps may begin anew behind what the header tells of, so that seek() finds
  /// it. False if it was cancelled.
  [[nodiscard]] bool scan(periodic::Duration target, const std::function<bool()>& cancelled);
  /// Goes to the keyframe at or before `target`, else to the first behind it. False where it cannot.
  [[nodiscard]] bool seek(periodic::Duration target);

 private:
  Demuxer(std::unique_ptr<ByteSource> source, std::string name, std::shared_ptr<Cancellation> cancellation);
  Result<void> begin(Expected expected);
  Result<const AVInputFormat*> tellFormat(Expected expected);
  Result<void> probe(Expected expected);
  void listStreams();
  [[nodiscard]] Error refusal(int error) const;
  [[nodiscard]] bool brokeOff() const;
  [[nodiscard]] std::string problem() const;
  void noteNews();
  [[nodiscard]] bool takeTagsChanged(AVStream& stream);
  void place(AVPacket& packet);
  void mark(const AVPacket& packet);
  void restore();
  [[nodiscard]] bool seekToMark(periodic::Duration target);

  const std::unique_ptr<ByteSource> m_source;
  const std::string m_name;
  const std::shared_ptr<Cancellation> m_cancellation;  // shared with who cancels
  AVIOContext* m_bytes = nullptr;
  FormatPtr m_container;
  std::vector<FilmStream> m_streams;
  int m_main = -1;  // of m_streams' indices: the pictures, else the sound, that seeks go by
  periodic::Duration m_begin{0};
  FilmTimes m_times{periodic::Duration{0}, false};
  std::vector<AVRational> m_units;  // of each stream's stamps
  /// Where packets were met of a film whose stamps may begin anew: these do not say where in it one is.
  struct Mark {
    periodic::Duration at{0};
    std::int64_t position = 0;
    std::size_t part = 0;
    AVRational unit{0, 1};  ///< of m_main's stamps
  };
  std::vector<Mark> m_marks;  // by time
  bool m_tagsUntold = false;
};

}  // namespace tactus::plugins::av
