// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <QVariantList>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "media/streaming/network_load.h"

namespace tactus::ui {

/// The rows of the load window about the network: counters that only grow become figures of one second. A
/// plain value without a clock.
class NetworkHistory {
 public:
  /// What happened in the `seconds` since the last look. The first look, and that of a stream that is new,
  /// has nothing to compare with and shows no rates.
  void look(const media::NetworkLoad& now, double seconds);
  /// What happens until the next look is no figure of one second.
  void forgetLook() { m_known = false; }

  /// "Link: 20 Mbit/s, 12.1 Mbit/s promised, 18.3 Mbit/s used"; empty without a link.
  [[nodiscard]] const QString& link() const noexcept { return m_link; }
  /// Maps of name, flows, rate, waited (p99, ms), late: each class that has a flow.
  [[nodiscard]] const QVariantList& classes() const noexcept { return m_classes; }
  /// Maps of name, place, leaves, state, rate, promised, late, lost, lossHealth, delay, says.
  [[nodiscard]] const QVariantList& streams() const noexcept { return m_streams; }

 private:
  /// Bytes so far, by name.
  using Counts = std::map<std::string, std::uint64_t>;
  [[nodiscard]] std::optional<double> rateOf(const Counts& before, const std::string& name,
                                             std::uint64_t bytes, double seconds) const;
  void lookAtLink(const media::NetworkLoad::LinkLoad& link, double seconds);
  void lookAtStreams(const std::vector<media::StreamLoad>& streams, double seconds);

  bool m_known = false;  // there was a look before
  Counts m_ofClasses, m_ofStreams;
  QString m_link;
  QVariantList m_classes, m_streams;
};

}  // namespace tactus::ui
