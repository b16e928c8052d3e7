// SPDX-License-Identifier: Apache-2.0
#include "plugins/av/abandonable_source.h"

#include <poll.h>
#include <pthread.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "plugins/av/av_handle.h"
#include "plugins/event_descriptor.h"

namespace tactus::plugins::av {
namespace {

constexpr std::size_t kMostAtOnce = 64 << 10;
/// Where no descriptor was free, and to be patient with.
constexpr int kLongestPoll = 100;  // milliseconds

}  // namespace

/// Everything but the flags and the descriptors is the thread's while it is busy, else its owner's.
struct AbandonableSource::Shared {
  std::atomic<bool> busy{false};   // set by the owner, cleared by the thread; release and acquire hand over
  std::atomic<bool> ended{false};  // the owner has gone, with the last call
  EventDescriptor wanted, done;
  const std::shared_ptr<Cancellation> cancellation =
      std::make_shared<Cancellation>();  // shared with the source
  Call call;
  std::optional<Error> refusal;
  std::unique_ptr<ByteSource> source;
  std::vector<std::uint8_t> bytes;  // of the last read
  int count = 0;                    // what it returned
  bool sought = false;

  void run() {
    for (;;) {
      pollfd order{wanted.get(), POLLIN, 0};
      (void)poll(&order, 1, wanted.get() < 0 ? kLongestPoll : -1);
      wanted.clear();
      if (busy.load(std::memory_order_acquire)) {
        std::exchange(call, {})(*this);
        busy.store(false, std::memory_order_release);
        done.signal();
      }
      if (ended.load(std::memory_order_acquire)) return;
    }
  }
};

AbandonableSource::AbandonableSource(std::shared_ptr<Cancellation> cancellation)
    : m_cancellation(std::move(cancellation)), m_shared(std::make_shared<Shared>()) {}

AbandonableSource::~AbandonableSource() {
  m_shared->cancellation->raise();
  m_shared->ended.store(true, std::memory_order_release);
  m_shared->wanted.signal();
}

Result<std::unique_ptr<ByteSource>> AbandonableSource::open(Opening opening,
                                                            std::shared_ptr<Cancellation> cancellation) {
  std::unique_ptr<AbandonableSource> made(new AbandonableSource(std::move(cancellation)));
  try {
    std::thread([shared = made->m_shared] {
      pthread_setname_np(pthread_self(), "tactus-bytes");
      shared->run();
    }).detach();
  } catch (const std::system_error& failure) {
    return Error{ErrorCode::System, std::string("No thread could be started: ") + failure.what() + "."};
  }
  const bool opened = made->perform([opening = std::move(opening)](Shared& shared) {
    auto source = opening(shared.cancellation);
    if (source.ok()) {
      shared.source = std::move(source).value();
    } else {
      shared.refusal = source.error();
    }
  });
  if (!opened) return Error{ErrorCode::Unavailable, ""};
  if (made->m_shared->refusal) return *made->m_shared->refusal;
  return std::unique_ptr<ByteSource>(std::move(made));
}

bool AbandonableSource::awaitIdle() {
  while (m_shared->busy.load(std::memory_order_acquire)) {
    if (m_cancellation->raised()) return false;
    std::array<pollfd, 2> waited{pollfd{m_shared->done.get(), POLLIN, 0},
                                 pollfd{m_cancellation->descriptor(), POLLIN, 0}};
    const bool whole = waited[0].fd >= 0 && waited[1].fd >= 0;
    (void)poll(waited.data(), waited.size(), whole ? -1 : kLongestPoll);
    if ((waited[0].revents & POLLIN) != 0) m_shared->done.clear();
  }
  if (m_shared->source) {
    m_size = m_shared->source->size();
    m_seekable = m_shared->source->seekable();
  }
  return true;
}

bool AbandonableSource::perform(Call call) {
  if (!awaitIdle()) return false;
  m_shared->cancellation->lower();
  if (std::exchange(m_renews, false)) m_shared->source->renew();
  m_shared->call = std::move(call);
  m_shared->busy.store(true, std::memory_order_release);
  m_shared->wanted.signal();
  if (awaitIdle()) return true;
  m_shared->cancellation->raise();
  return false;
}

int AbandonableSource::read(std::span<std::uint8_t> into) {
  if (!awaitIdle()) return AVERROR_EXIT;
  if (m_taken == m_shared->bytes.size()) {
    m_taken = 0;
    const bool made = perform([](Shared& shared) {
      shared.bytes.resize(kMostAtOnce);
      shared.count = shared.source->read(shared.bytes);
      shared.bytes.resize(static_cast<std::size_t>(std::max(shared.count, 0)));
    });
    if (!made) return AVERROR_EXIT;
    if (m_shared->count <= 0) return m_shared->count;
  }
  const std::size_t count = std::min(into.size(), m_shared->bytes.size() - m_taken);
  std::copy_n(m_shared->bytes.begin() + static_cast<std::ptrdiff_t>(m_taken), count, into.begin());
  m_taken += count;
  return static_cast<int>(count);
}

bool AbandonableSource::seek(std::int64_t position) {
  m_taken = 0;
  const bool made = perform([position](Shared& shared) {
    shared.bytes.clear();
    shared.sought = shared.source->seek(position);
  });
  return made && m_shared->sought;
}

std::string AbandonableSource::news() {
  // acquire: the source is ours then.
  return m_shared->busy.load(std::memory_order_acquire) ? std::string() : m_shared->source->news();
}

}  // namespace tactus::plugins::av
