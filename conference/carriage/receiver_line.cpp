// SPDX-License-Identifier: Apache-2.0
#include "conference/carriage/receiver_line.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace tactus::conference {
namespace {

constexpr double kFall = 0.95;  // of what a connection carried; less is a fall

net::BitRate sumOf(net::BitRate one, net::BitRate other) {
  return net::BitRate::perSecond(one.bits() + other.bits());
}

net::BitRate without(net::BitRate whole, net::BitRate part) {
  return net::BitRate::perSecond(std::max<std::int64_t>(whole.bits() - part.bits(), 0));
}

}  // namespace

bool LineTrials::update(periodic::TimePoint now, bool fell, bool wanted) noexcept {
  if (!m_quietSince) m_quietSince = now;
  if (m_trial && fell) {
    m_patience = std::min(2 * m_patience, kMost);
    m_trial.reset();
  } else if (m_trial && now - *m_trial >= kVerdict) {
    m_patience = kLeast;
    m_trial.reset();
  }
  if (fell) m_quietSince = now;
  if (!wanted || m_trial || fell || now - *m_quietSince < m_patience) return false;
  m_trial = m_quietSince = now;
  return true;
}

bool ReceiverLine::takeFall(std::span<const Connection> connections) {
  std::map<std::string, net::BitRate> carried;
  bool fell = false;
  for (const Connection& each : connections) {
    if (!each.carries) continue;
    carried[each.name] = *each.carries;
    const auto before = m_carried.find(each.name);
    fell = fell || before == m_carried.end() ||
           static_cast<double>(each.carries->bits()) < kFall * static_cast<double>(before->second.bits());
  }
  m_carried = std::move(carried);
  return fell;
}

ReceiverLine::Division ReceiverLine::divide(periodic::TimePoint now,
                                            std::span<const Connection> connections) {
  std::vector<PictureDemand> demands;
  std::vector<std::size_t> demanding;  // connections
  net::BitRate carried, sound;
  for (std::size_t i = 0; i < connections.size(); ++i) {
    const Connection& each = connections[i];
    carried = sumOf(carried, each.carries.value_or(sumOf(each.sound, each.pictures)));
    sound = sumOf(sound, each.sound);
    if (!each.demand) continue;
    demands.push_back(*each.demand);
    demanding.push_back(i);
  }
  const bool fell = takeFall(connections), limited = !m_carried.empty();
  if (fell || !limited) m_proven = {};
  const net::BitRate room = without(std::max(carried, m_proven), sound);
  LineShare share = shareLine(limited ? std::optional(room) : std::nullopt, demands);
  Division division;
  if (m_trials.update(now, fell, share.next.has_value())) {
    const std::size_t connection = demanding[share.next->demand];
    m_proven = sumOf(share.next->needed, sound);
    if (const auto carries = connections[connection].carries) {
      division.raised = {connection, sumOf(*carries, without(share.next->needed, room))};
      m_carried[connections[connection].name] = division.raised->rate;
    }
    share = shareLine(share.next->needed, demands);
  }
  division.layers.resize(connections.size());
  for (std::size_t i = 0; i < demands.size(); ++i)
    if (limited) division.layers[demanding[i]] = share.layers[i];
  return division;
}

}  // namespace tactus::conference
