// SPDX-License-Identifier: Apache-2.0
#include "plugins/av/stream_bytes.h"

#include <poll.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <limits>
#include <map>
#include <mutex>
#include <new>
#include <string_view>
#include <utility>
#include <vector>

#include "plugins/av/av_handle.h"
#include "plugins/event_descriptor.h"

namespace tactus::plugins::av {
namespace {

using periodic::Duration;
using periodic::MonotonicClock;
using namespace std::chrono_literals;

constexpr std::string_view kScheme = "stream://";
constexpr Duration kLongestWait = 500ms;  // of one wait; it is waited again
constexpr int kLongestPoll = 100;         // milliseconds, where no descriptor was free

}  // namespace

/// read <= written <= read + capacity; both count bytes from the beginning.
struct StreamBytes::Shared {
  Shared(std::string streamName, std::size_t capacity) : name(std::move(streamName)), ring(capacity) {}

  const std::string name;
  std::string url = {};
  std::vector<std::byte> ring;
  // Each is written by its end alone. release: the bytes (or their room) before it; acquire: by the other.
  std::atomic<std::uint64_t> written{0}, read{0};
  // release, acquire: what was written before the end, and the reason.
  std::atomic<bool> ended{false};
  std::atomic<bool> opened{false}, readerGone{false};  // relaxed: each says something on its own
  EventDescriptor filled, emptied;
  std::mutex mutex = {};    // guards what follows, for moments
  std::string reason = {};  // why it broke off

  [[nodiscard]] bool wantsNone() const noexcept {
    return ended.load(std::memory_order_acquire) || readerGone.load(std::memory_order_relaxed);
  }
  [[nodiscard]] std::size_t room() const noexcept {
    return ring.size() - static_cast<std::size_t>(written.load(std::memory_order_relaxed) -
                                                  read.load(std::memory_order_acquire));
  }
};

/// The streams of this process, which are found by their addresses as other sources are. It keeps none alive.
class StreamBytes::Table {
 public:
  std::string add(std::weak_ptr<Shared> stream) {
    const std::lock_guard lock(m_mutex);
    std::string url = std::string(kScheme) + std::to_string(++m_last);
    m_streams.emplace(url, std::move(stream));
    return url;
  }
  void remove(const std::string& url) {
    const std::lock_guard lock(m_mutex);
    m_streams.erase(url);
  }
  [[nodiscard]] std::shared_ptr<Shared> find(const std::string& url) {
    const std::lock_guard lock(m_mutex);
    const auto found = m_streams.find(url);
    return found != m_streams.end() ? found->second.lock() : nullptr;
  }
  static Table& ofProcess() {
    static Table table;
    return table;
  }

 private:
  std::mutex m_mutex = {};  // guards what follows, for moments
  std::uint64_t m_last = 0;
  std::map<std::string, std::weak_ptr<Shared>, std::less<>> m_streams = {};
};

class StreamBytes::Reader final : public ByteSource {
 public:
  Reader(std::shared_ptr<Shared> shared, std::shared_ptr<Cancellation> cancellation)
      : m_shared(std::move(shared)), m_cancellation(std::move(cancellation)) {}
  ~Reader() override {
    m_shared->readerGone.store(true, std::memory_order_relaxed);
    m_shared->emptied.signal();
  }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  int read(std::span<std::uint8_t> into) override {
    for (;;) {
      if (m_cancellation->raised()) return AVERROR_EXIT;
      m_shared->filled.clear();
      // Before the bytes are counted: all of them were written before the end.
      const bool ended = m_shared->ended.load(std::memory_order_acquire);
      if (const int count = take(into); count > 0) return count;
      if (ended) return problem().empty() ? 0 : AVERROR(EIO);
      wait();
    }
  }
  bool seek(std::int64_t) override { return false; }
  [[nodiscard]] std::int64_t size() const override { return -1; }
  [[nodiscard]] bool seekable() const override { return false; }
  [[nodiscard]] std::string problem() const override {
    const std::lock_guard lock(m_shared->mutex);
    return m_shared->reason;
  }

 private:
  int take(std::span<std::uint8_t> into) {
    const std::vector<std::byte>& ring = m_shared->ring;
    const std::uint64_t read = m_shared->read.load(std::memory_order_relaxed);  // ours
    const std::uint64_t there = m_shared->written.load(std::memory_order_acquire) - read;
    const auto at = static_cast<std::size_t>(read % ring.size());
    const std::size_t count = std::min({static_cast<std::size_t>(there), ring.size() - at, into.size(),
                                        std::size_t{std::numeric_limits<int>::max()}});
    if (count == 0) return 0;
    std::memcpy(into.data(), ring.data() + at, count);
    m_shared->read.store(read + count, std::memory_order_release);
    m_shared->emptied.signal();
    return static_cast<int>(count);
  }
  void wait() const {
    std::array<pollfd, 2> waited{pollfd{m_shared->filled.get(), POLLIN, 0},
                                 pollfd{m_cancellation->descriptor(), POLLIN, 0}};
    const bool whole = waited[0].fd >= 0 && waited[1].fd >= 0;
    (void)poll(waited.data(), waited.size(), whole ? -1 : kLongestPoll);
  }

  const std::shared_ptr<Shared> m_shared;              // shared with who puts bytes in
  const std::shared_ptr<Cancellation> m_cancellation;  // shared with who cancels
};

StreamBytes::StreamBytes(std::shared_ptr<Shared> shared) noexcept : m_shared(std::move(shared)) {}

StreamBytes::~StreamBytes() {
  end("nobody receives it any longer");
  Table::ofProcess().remove(m_shared->url);
}

Result<std::unique_ptr<StreamBytes>> StreamBytes::create(std::string name, std::size_t capacity) {
  if (capacity == 0)
    return Error{ErrorCode::InvalidArgument, "'" + name + "' cannot be received into a buffer of 0 bytes."};
  std::string what = "'" + name + "'";
  try {
    auto shared = std::make_shared<Shared>(std::move(name), capacity);
    shared->url = Table::ofProcess().add(shared);
    return std::unique_ptr<StreamBytes>(new StreamBytes(std::move(shared)));
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::Unavailable,
                 "There is no memory for the " + std::to_string(capacity) + " bytes of " + what + "."};
  }
}

const std::string& StreamBytes::url() const noexcept {
  return m_shared->url;
}

std::size_t StreamBytes::capacity() const noexcept {
  return m_shared->ring.size();
}

bool StreamBytes::put(std::span<const std::byte> bytes) noexcept {
  if (m_shared->wantsNone() || m_shared->room() < bytes.size()) return false;
  std::vector<std::byte>& ring = m_shared->ring;
  const std::uint64_t written = m_shared->written.load(std::memory_order_relaxed);  // ours
  const auto at = static_cast<std::size_t>(written % ring.size());
  const std::size_t first = std::min(bytes.size(), ring.size() - at);
  std::copy_n(bytes.begin(), first, ring.begin() + static_cast<std::ptrdiff_t>(at));
  std::copy(bytes.begin() + static_cast<std::ptrdiff_t>(first), bytes.end(), ring.begin());
  m_shared->written.store(written + bytes.size(), std::memory_order_release);
  m_shared->filled.signal();
  return true;
}

bool StreamBytes::waitForRoom(std::size_t bytes, Duration atMost) noexcept {
  const auto until = MonotonicClock::now() + atMost;
  for (;;) {
    m_shared->emptied.clear();
    if (m_shared->wantsNone()) return false;
    if (m_shared->room() >= bytes) return true;
    const Duration left = until - MonotonicClock::now();
    if (left <= Duration::zero()) return false;
    m_shared->emptied.wait(std::min(left, kLongestWait));
  }
}

void StreamBytes::end(const std::string& reason) {
  {
    const std::lock_guard lock(m_shared->mutex);
    if (m_shared->ended.load(std::memory_order_relaxed)) return;
    m_shared->reason = reason;
    m_shared->ended.store(true, std::memory_order_release);
  }
  m_shared->filled.signal();
  m_shared->emptied.signal();
}

bool StreamBytes::isEnded() const noexcept {
  return m_shared->wantsNone();
}

Result<std::unique_ptr<ByteSource>> StreamBytes::open(const std::string& url,
                                                      std::shared_ptr<Cancellation> cancellation) {
  auto shared = Table::ofProcess().find(url);
  if (!shared) return Error{ErrorCode::NotFound, "There is no stream '" + url + "'."};
  if (shared->opened.exchange(true, std::memory_order_relaxed))
    return Error{ErrorCode::Unavailable, "'" + shared->name + "' is received once, and was opened before."};
  return std::unique_ptr<ByteSource>(std::make_unique<Reader>(std::move(shared), std::move(cancellation)));
}

std::optional<std::string> StreamBytes::nameOf(const std::string& url) {
  const auto shared = Table::ofProcess().find(url);
  return shared ? std::optional(shared->name) : std::nullopt;
}

bool isStream(const std::string& path) noexcept {
  return path.starts_with(kScheme);
}

}  // namespace tactus::plugins::av
