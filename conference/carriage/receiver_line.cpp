// SPDX-License-Identifier: Apache-2.0
#include "conference/carriage/receiver_line.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace tactus::conference {
namespace {

constexpr double kFall = 0.95;   // of what a connection carried; less is a fall
constexpr double kPasses = 0.9;  // of a probe's rate that arrives: its first and its last packets cost some
constexpr periodic::Duration kProbePatience = std::chrono::seconds(3);

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
    fail();
  } else if (m_trial && now - *m_trial >= kVerdict) {
    m_patience = kLeast;
    m_trial.reset();
  }
  if (fell) m_quietSince = now;
  if (!wanted || m_trial || fell || now - *m_quietSince < m_patience) return false;
  m_trial = m_quietSince = now;
  return true;
}

void LineTrials::fail() noexcept {
  if (m_trial) m_patience = std::min(2 * m_patience, kMost);
  m_trial.reset();
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
  if (fell || !limited) {
    m_proven = {};
    m_trial.reset();
  }
  Division division;
  judge(now, connections, division);
  const net::BitRate room = without(std::max(carried, m_proven), sound);
  const LineShare share = shareLine(limited ? std::optional(room) : std::nullopt, demands);
  if (m_trials.update(now, fell, share.next.has_value() && !m_trial)) {
    const std::size_t connection = demanding[share.next->demand];
    const Connection& each = connections[connection];
    const net::BitRate more = without(share.next->needed, room);
    division.probe = {connection, sumOf(each.carries.value_or(sumOf(each.sound, each.pictures)), more)};
    m_trial = {each.name, sumOf(share.next->needed, sound), division.probe->rate, now};
  }
  division.layers.resize(connections.size());
  for (std::size_t i = 0; i < demands.size(); ++i)
    if (limited) division.layers[demanding[i]] = share.layers[i];
  return division;
}

void ReceiverLine::judge(periodic::TimePoint now, std::span<const Connection> connections,
                         Division& division) {
  if (!m_trial) return;
  const auto found = std::find_if(connections.begin(), connections.end(),
                                  [&](const Connection& each) { return each.name == m_trial->connection; });
  if (found == connections.end() || (!found->probed && now - m_trial->begun > kProbePatience)) {
    m_trials.forget();
    m_trial.reset();
    return;
  }
  if (!found->probed) return;
  const auto arrived = static_cast<double>(found->probed->carried.bits());
  if (found->probed->repeated == 0 || arrived >= kPasses * static_cast<double>(m_trial->rate.bits())) {
    m_proven = m_trial->needed;
    if (found->carries) {
      division.raised = {static_cast<std::size_t>(found - connections.begin()), m_trial->rate};
      m_carried[found->name] = m_trial->rate;
    }
  } else {
    m_trials.fail();
  }
  m_trial.reset();
}

}  // namespace tactus::conference
