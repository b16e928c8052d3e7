// SPDX-License-Identifier: Apache-2.0
#include "plugins/av/http_source.h"

extern "C" {
#include <libavutil/opt.h>
}

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <limits>
#include <utility>

#include "plugins/av/abandonable_source.h"
#include "plugins/av/av_handle.h"
#include "plugins/av/spooled_source.h"
#include "plugins/av/stream_bytes.h"

namespace tactus::plugins::av {
namespace {

using periodic::MonotonicClock;

constexpr const char* kProtocols = "http,https,httpproxy,tcp,tls";
constexpr periodic::Duration kLongestPatience = std::chrono::hours(24);
constexpr int kLongestPause = 4;  // seconds between two tries to connect anew, which double

class Http final : public ByteSource {
 public:
  Http(periodic::Duration patience, std::shared_ptr<Cancellation> cancellation)
      : m_patience(std::min(patience, kLongestPatience)), m_cancellation(std::move(cancellation)) {}
  ~Http() override { avio_closep(&m_bytes); }
  Http(const Http&) = delete;
  Http& operator=(const Http&) = delete;

  /// 0, or libav's error.
  int open(const std::string& address) {
    const AVIOInterruptCB interrupt{
        [](void* self) { return static_cast<const Http*>(self)->waitIsOver() ? 1 : 0; }, this};
    const auto microseconds = std::chrono::duration_cast<std::chrono::microseconds>(m_patience).count();
    AVDictionary* options = nullptr;
    av_dict_set_int(&options, "rw_timeout", microseconds, 0);
    av_dict_set_int(&options, "reconnect", 1, 0);  // where an answer ends before the film does
    av_dict_set_int(&options, "reconnect_delay_max", kLongestPause, 0);
    av_dict_set_int(&options, "icy", 1, 0);
    av_dict_set_int(&options, "tls_verify", 1, 0);  // by the system's certificates
    av_dict_set(&options, "user_agent", "Tactus", 0);
    av_dict_set(&options, "protocol_whitelist", kProtocols, 0);
    beginWait();
    const int opened = avio_open2(&m_bytes, address.c_str(), AVIO_FLAG_READ, &interrupt, &options);
    av_dict_free(&options);
    return timedOut(opened) ? AVERROR(ETIMEDOUT) : opened;
  }

  int read(std::span<std::uint8_t> into) override {
    if (m_stalled) return AVERROR(ETIMEDOUT);
    m_bytes->error = 0;  // of a read that was interrupted
    beginWait();
    const auto wanted = std::min<std::size_t>(into.size(), std::numeric_limits<int>::max());
    const int count = avio_read_partial(m_bytes, into.data(), static_cast<int>(wanted));
    m_stalled = timedOut(count);
    if (m_stalled) return AVERROR(ETIMEDOUT);
    // A server that did not say how much there is ends by hanging up.
    const bool end = count == AVERROR_EOF || (count == AVERROR(EIO) && size() < 0);
    return end ? 0 : count;
  }
  bool seek(std::int64_t position) override {
    if (m_stalled) return false;
    m_bytes->error = 0;
    m_bytes->eof_reached = 0;
    beginWait();
    const std::int64_t sought = avio_seek(m_bytes, position, SEEK_SET);
    m_stalled = timedOut(sought);
    return sought >= 0;
  }
  void renew() override { m_stalled = false; }
  [[nodiscard]] std::int64_t size() const override {
    const std::int64_t size = avio_size(m_bytes);
    return size > 0 ? size : -1;
  }
  [[nodiscard]] bool seekable() const override { return (m_bytes->seekable & AVIO_SEEKABLE_NORMAL) != 0; }
  [[nodiscard]] std::string news() override {
    std::uint8_t* told = nullptr;
    if (av_opt_get(m_bytes, "icy_metadata_packet", AV_OPT_SEARCH_CHILDREN, &told) < 0 || told == nullptr)
      return {};
    const std::string packet(reinterpret_cast<const char*>(told));
    av_free(told);
    if (packet.empty()) return {};
    (void)av_opt_set(m_bytes, "icy_metadata_packet", "", AV_OPT_SEARCH_CHILDREN);
    return packet;
  }

 private:
  void beginWait() noexcept { m_latest = MonotonicClock::now() + m_patience; }
  [[nodiscard]] bool waitIsOver() const noexcept {
    return m_cancellation->raised() || MonotonicClock::now() >= m_latest;
  }
  /// libavformat connects anew within one wait; what ended it is all that tells.
  [[nodiscard]] bool timedOut(std::int64_t result) const noexcept {
    return result < 0 && !m_cancellation->raised() && MonotonicClock::now() >= m_latest;
  }

  const periodic::Duration m_patience;
  const std::shared_ptr<Cancellation> m_cancellation;  // shared with who cancels
  periodic::TimePoint m_latest;                        // of the present wait
  bool m_stalled = false;  // it has said nothing for too long: each further wait would be as long
  AVIOContext* m_bytes = nullptr;
};

Error refusalOf(const std::string& address, int error) {
  const std::string what = "'" + address + "'";
  switch (error) {
    case AVERROR_HTTP_NOT_FOUND:
      return {ErrorCode::NotFound, what + " was not found."};
    case AVERROR_HTTP_UNAUTHORIZED:
    case AVERROR_HTTP_FORBIDDEN:
      return {ErrorCode::PermissionDenied, what + " may not be opened: the server refused."};
    case AVERROR(ETIMEDOUT):
      return {ErrorCode::Timeout, what + " did not answer in time."};
    case AVERROR(ECONNREFUSED):
      return {ErrorCode::Unavailable, what + " cannot be reached: the connection was refused."};
    case AVERROR_EXIT:
      return {ErrorCode::Unavailable, "Opening " + what + " was cancelled."};
    default:
      return {ErrorCode::Unavailable, what + " cannot be read: " + wordsOf(error) + "."};
  }
}

}  // namespace

bool isAddress(const std::string& path) noexcept {
  return path.starts_with("http://") || path.starts_with("https://");
}

Result<std::unique_ptr<ByteSource>> openAddress(const std::string& address, periodic::Duration patience,
                                                std::shared_ptr<Cancellation> cancellation) {
  // libavformat asks name servers by getaddrinfo(), which nothing ends: when it opens, and when it connects
  // anew.
  const auto connect =
      [address, patience](std::shared_ptr<Cancellation> inner) -> Result<std::unique_ptr<ByteSource>> {
    auto http = std::make_unique<Http>(patience, std::move(inner));
    if (const int opened = http->open(address); opened < 0) return refusalOf(address, opened);
    return std::unique_ptr<ByteSource>(std::move(http));
  };
  auto opened = AbandonableSource::open(connect, cancellation);
  if (!opened.ok()) return cancellation->raised() ? refusalOf(address, AVERROR_EXIT) : opened.error();
  std::unique_ptr<ByteSource> source = std::move(opened).value();
  const bool small = source->size() > 0 && source->size() < SpooledSource::kMostBytes;
  if (small && !source->seekable()) source = std::make_unique<SpooledSource>(std::move(source));
  return source;
}

Result<std::unique_ptr<ByteSource>> openSource(const std::string& path, periodic::Duration patience,
                                               std::shared_ptr<Cancellation> cancellation) {
  if (isStream(path)) return StreamBytes::open(path, std::move(cancellation));
  return isAddress(path) ? openAddress(path, patience, std::move(cancellation))
                         : openFile(path, std::move(cancellation));
}

}  // namespace tactus::plugins::av
