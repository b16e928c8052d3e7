// SPDX-License-Identifier: Apache-2.0
#include "conference/sending_watch.h"

#include <algorithm>

namespace tactus::conference {
namespace {

using media::MediaKind;
using media::OutgoingReport;
using media::SendingFigures;

bool isSame(const TrackDelivery& one, const TrackDelivery& other) noexcept {
  return one.pictures == other.pictures && one.limit == other.limit;
}

double bitsOf(net::BitRate rate) noexcept {
  return static_cast<double>(rate.bits());
}

/// The sizes of the pictures that are wanted, the largest first.
std::vector<SendingFigures> wantedOf(const OutgoingReport& report) {
  std::vector<SendingFigures> wanted;
  if (report.state != media::CallState::Live) return wanted;
  for (const SendingFigures& each : report.tracks)
    if (each.kind == MediaKind::Video && each.wanted && !each.muted) wanted.push_back(each);
  return wanted;
}

TrackDelivery limitedByLine(DeliveredPictures pictures, const net::BandwidthEstimate& path) {
  const auto kilobits =
      static_cast<std::uint32_t>(std::clamp<std::int64_t>(path.capacity.bits() / 1000, 1, kHighestCarried));
  return {pictures, DeliveryLimit::SenderLine, kilobits, std::clamp(path.loss, 0.0, 1.0)};
}

}  // namespace

const TrackDelivery& SendingWatch::look(periodic::TimePoint now, const OutgoingReport& report) {
  say(judge(now, report));
  return m_said;
}

TrackDelivery SendingWatch::judge(periodic::TimePoint now, const OutgoingReport& report) {
  const auto wanted = wantedOf(report);
  const auto goes =
      std::find_if(wanted.begin(), wanted.end(), [](const SendingFigures& each) { return !each.paused; });
  if (goes == wanted.end()) {
    m_samples.clear();
    return {};
  }
  const auto pictures = picturesEncoded(now, static_cast<std::size_t>(wanted.end() - goes), *goes);
  if (pictures != DeliveredPictures::Whole) return {pictures, DeliveryLimit::SenderComputer};
  if (!report.path) return {};
  if (goes != wanted.begin()) return limitedByLine(DeliveredPictures::Smaller, *report.path);
  const bool lacks = bitsOf(goes->rate) < m_constants.least * bitsOf(goes->most);
  const bool uses = bitsOf(report.path->received) >= m_constants.used * bitsOf(report.path->target);
  if (!lacks || !uses) return {};
  return limitedByLine(wanted.size() > 1 ? DeliveredPictures::Smaller : DeliveredPictures::Fewer,
                       *report.path);
}

/// `layer`: which size it is, counted from the smallest.
DeliveredPictures SendingWatch::picturesEncoded(periodic::TimePoint now, std::size_t layer,
                                                const SendingFigures& figures) {
  // Another size, or another connection: its figures have nothing to do with those before.
  if (!m_samples.empty() && (m_samples.back().layer != layer || figures.captured < m_samples.back().captured))
    m_samples.clear();
  m_samples.push_back({now, layer, figures.captured, figures.taken});
  while (m_samples.size() > 1 && m_samples[1].at <= now - m_constants.window) m_samples.pop_front();
  const Sample& first = m_samples.front();
  const std::uint64_t captured = figures.captured - first.captured;
  if (now - first.at < m_constants.window || captured < m_constants.fewest) return DeliveredPictures::Whole;
  const std::uint64_t taken = std::min(figures.taken - std::min(figures.taken, first.taken), captured);
  if (taken == 0) return DeliveredPictures::None;
  const double dropped = static_cast<double>(captured - taken) / static_cast<double>(captured);
  return dropped > m_constants.dropped ? DeliveredPictures::Fewer : DeliveredPictures::Whole;
}

void SendingWatch::say(const TrackDelivery& found) {
  m_times = isSame(found, m_found) ? m_times + 1 : 1;
  m_found = found;
  if (isSame(found, m_said) || m_times >= m_constants.looks) m_said = found;
}

}  // namespace tactus::conference
