// SPDX-License-Identifier: Apache-2.0
#include "media/streaming/outgoing_film.h"

#include <pthread.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "media/streaming/rate_meter.h"
#include "media/streaming/stream_terms.h"

namespace tactus::media {
namespace {

using plugins::av::ByteSource;
using plugins::av::Cancellation;
using Outcome = FilmMuxer::Outcome;

constexpr std::size_t kBuffersAhead = 100;  // that are read and muxed before they are due

std::string nameOf(const std::string& path) {
  return path.starts_with("fd:") ? path : std::filesystem::path(path).filename().string();
}

/// Bytes of each period, with some room. What is damaged is measured up to there.
Result<std::size_t> smallestBuffer(FilmMuxer& film, std::uint64_t most, const std::string& name,
                                   const Cancellation& cancellation) {
  RateMeter meter;
  Outcome outcome = Outcome::Packet;
  while (outcome == Outcome::Packet && meter.bytes() < most) {
    const auto piece = film.next();
    outcome = piece.outcome;
    meter.note(piece.bytes.size(), piece.at);
  }
  if (cancellation.raised()) return Error{ErrorCode::Unavailable, "Opening '" + name + "' was cancelled."};
  auto buffer = static_cast<double>(meter.smallestBuffer());
  if (outcome == Outcome::Packet && film.bitsPerSecond() > 0) {  // what lies behind may be denser
    const auto mean = net::BitRate::perSecond(std::min(film.bitsPerSecond(), net::BitRate::kLargest));
    buffer = std::max(buffer, static_cast<double>(mean.bytesIn(kStreamPeriod)));
  }
  return static_cast<std::size_t>(buffer * kHeadroom) + 1;
}

Result<net::StreamContract> contractOf(const ByteSource& source, const std::string& name,
                                       const OutgoingFilm::Options& options,
                                       const std::shared_ptr<Cancellation>& cancellation) {
  if (options.rate) return contractFor(options.transport, *options.rate);
  auto again = source.again(cancellation);
  if (!again)
    return Error{ErrorCode::InvalidArgument,
                 "'" + name + "' can be read only once, so the rate at which it is sent must be given."};
  auto survey = FilmMuxer::open(std::move(again), name, cancellation);
  if (!survey.ok()) return survey.error();
  const auto buffer = smallestBuffer(*survey.value(), options.survey, name, *cancellation);
  if (!buffer.ok()) return buffer.error();
  return contractFor(options.transport, buffer.value());
}

}  // namespace

Result<std::unique_ptr<OutgoingFilm>> OutgoingFilm::open(const std::string& path, const Options& options,
                                                         std::shared_ptr<Cancellation> cancellation) {
  auto source = plugins::av::openFile(path, cancellation);
  if (!source.ok()) return source.error();
  const std::string name = nameOf(path);
  auto contract = contractOf(*source.value(), name, options, cancellation);
  if (!contract.ok()) return contract.error();
  auto muxer = FilmMuxer::open(std::move(source).value(), name, cancellation);
  if (!muxer.ok()) return muxer.error();
  contract.value().jitter = kStartDelay;
  if (!muxer.value()->hasPictures()) contract.value().linkClass = net::LinkClass::Audio;
  std::unique_ptr<OutgoingFilm> film(
      new OutgoingFilm(std::move(muxer).value(), name, contract.value(), std::move(cancellation)));
  try {
    film->m_thread = std::thread([&outgoing = *film] { outgoing.run(); });
  } catch (const std::system_error& failure) {
    return Error{ErrorCode::System, std::string("No thread could be started: ") + failure.what() + "."};
  }
  return film;
}

OutgoingFilm::OutgoingFilm(std::unique_ptr<FilmMuxer> muxer, std::string name,
                           const net::StreamContract& contract, std::shared_ptr<Cancellation> cancellation)
    : m_name(std::move(name)),
      m_contract(contract),
      m_cancellation(std::move(cancellation)),
      m_muxer(std::move(muxer)),
      m_queue(kBuffersAhead * contract.largestBuffer, m_muxer->unit()) {}

OutgoingFilm::~OutgoingFilm() {
  m_cancellation->raise();
  m_queue.abandon();
  if (m_thread.joinable()) m_thread.join();
}

void OutgoingFilm::run() {
  pthread_setname_np(pthread_self(), "tactus-sender");
  for (;;) {
    FilmMuxer::Piece piece = m_muxer->next();
    if (piece.outcome == Outcome::BrokeOff) {
      const std::lock_guard lock(m_mutex);
      m_problem = "'" + m_name + "' broke off: " + piece.problem + ".";
    }
    if (!m_queue.put(piece.bytes, piece.at)) return;
    if (piece.outcome != Outcome::Packet) return m_queue.end();
  }
}

std::string OutgoingFilm::problem() const {
  const std::lock_guard lock(m_mutex);
  return m_problem;
}

}  // namespace tactus::media
