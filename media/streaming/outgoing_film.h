// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "media/streaming/film_muxer.h"
#include "media/streaming/film_pace.h"
#include "media/streaming/outgoing_queue.h"
#include "media/streaming/outgoing_stream.h"
#include "plugins/av/byte_source.h"

namespace tactus::media {

/// A film that is sent as it plays, without being encoded anew: an ordinary thread reads and muxes ahead, and
/// the write handler takes what is due (FilmPace). Thread-safe: yes, but for the destructor; one thread
/// writes.
class OutgoingFilm final : public OutgoingStream {
 public:
  struct Options {
    net::TransportKind transport = net::TransportKind::Tcp;
    /// Of the stream; absent: the least that carries the film, which is read for that first.
    std::optional<net::BitRate> rate = {};
    /// Bytes of the stream that are read for it; what lies behind is taken to be no denser.
    std::uint64_t survey = std::uint64_t{256} << 20;
  };

  /// A path, or "fd://N". The cancellation ends the opening; afterwards it is the film's own. Errors: one
  /// sentence that names the film: those of openFile() and FilmMuxer::open(); InvalidArgument: the rate, or
  /// it is missing though the film can be read only once. Blocking.
  [[nodiscard]] static Result<std::unique_ptr<OutgoingFilm>> open(
      const std::string& path, const Options& options,
      std::shared_ptr<plugins::av::Cancellation> cancellation);
  ~OutgoingFilm() override;
  OutgoingFilm(const OutgoingFilm&) = delete;
  OutgoingFilm& operator=(const OutgoingFilm&) = delete;

  [[nodiscard]] net::StreamContract contract() const override { return m_contract; }
  [[nodiscard]] std::optional<std::size_t> write(std::span<std::byte> buffer) noexcept override {
    return write(buffer, periodic::MonotonicClock::now());
  }
  /// The same in another time. Real-time-safe: yes.
  [[nodiscard]] std::optional<std::size_t> write(std::span<std::byte> buffer,
                                                 periodic::TimePoint now) noexcept {
    return m_queue.take(buffer, m_pace.due(now));
  }
  [[nodiscard]] std::string problem() const override;
  [[nodiscard]] FilmMuxer::Container container() const noexcept { return m_muxer->container(); }

 private:
  OutgoingFilm(std::unique_ptr<FilmMuxer> muxer, std::string name, const net::StreamContract& contract,
               std::shared_ptr<plugins::av::Cancellation> cancellation);
  void run();

  const std::string m_name;
  const net::StreamContract m_contract;
  const std::shared_ptr<plugins::av::Cancellation> m_cancellation;  // shared with the muxer
  const std::unique_ptr<FilmMuxer> m_muxer;                         // the thread's
  OutgoingQueue m_queue;
  FilmPace m_pace;  // of the thread that writes

  mutable std::mutex m_mutex;  // guards what follows, for moments
  std::string m_problem;
  std::thread m_thread;  // last: it uses all of these
};

}  // namespace tactus::media
