// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/task/behaviour_watch.h"

#include <algorithm>
#include <utility>

#include "core/periodic/trace/format.h"

namespace tactus::periodic {
namespace {

using namespace std::chrono_literals;
using Kind = Misbehaviour::Kind;

constexpr Duration kShortest = 2s;
constexpr int kFewestPeriods = 10;
/// A packet is endless once it has used this many periods of CPU time, and this many times the time that a
/// packet reserves. Not a share of a processor: the thread may have to leave it to others meanwhile.
constexpr int kEndlessPeriods = 5;
constexpr int kEndlessPackets = 10;
constexpr double kFarOff = 3;          // times the declared rate, or one part in so many
constexpr double kSilentShare = 0.05;  // of a CPU, without any packet
constexpr double kBusyShare = 0.1;     // of a CPU: with less, too few packets are the source's doing

std::optional<Kind> judge(const BehaviourWatch::Declared& declared, Duration span, double packets,
                          std::uint64_t packetsEver, Duration spent) noexcept {
  if (!declared.enforces) return std::nullopt;
  const Duration period = declared.rate.period();
  const double used = inSeconds(spent) / inSeconds(span);
  const double expected = inSeconds(span) / inSeconds(period);
  if (packetsEver == 0 && used > kSilentShare) return Kind::NeverEnforces;
  if (packets < 1 && spent > std::max(kEndlessPeriods * period, kEndlessPackets * declared.worst))
    return Kind::EndlessPacket;
  if (packets > kFarOff * expected + declared.workahead) return Kind::TooManyPackets;
  if (!declared.sporadic && packets >= 1 && packets * kFarOff < expected * declared.frequency &&
      used > kBusyShare)
    return Kind::TooFewPackets;
  return std::nullopt;
}

}  // namespace

std::optional<Misbehaviour> BehaviourWatch::look(TimePoint now, const Declared& declared,
                                                 const Reading& reading) noexcept {
  if (!m_begin || reading.packets < m_atBegin.packets) {  // fewer: the statistics were cleared
    m_begin = now;
    m_atBegin = reading;
    return std::nullopt;
  }
  const Duration span = now - *m_begin;
  if (span < std::max<Duration>(kShortest, kFewestPeriods * declared.rate.period())) return std::nullopt;
  const auto packets = static_cast<double>(reading.packets - m_atBegin.packets);
  const Duration spent = reading.cpu - m_atBegin.cpu;
  m_begin = now;
  m_atBegin = reading;
  std::optional<Misbehaviour> found;
  if (const auto kind = judge(declared, span, packets, reading.packets, spent))
    found = Misbehaviour{*kind, span, inSeconds(spent) / inSeconds(span), packets / inSeconds(span)};
  const auto before = std::exchange(m_last, found);
  const bool known = found && before && (before->grave() || !found->grave());
  return known ? std::nullopt : found;
}

std::string sentenceOf(const Misbehaviour& found, const std::string& name, const Rate& declared) {
  switch (found.kind) {
    case Kind::NeverEnforces:
      return format("%s uses %.0f %% of a processor and never says where a packet begins", name.c_str(),
                    found.used * 100);
    case Kind::EndlessPacket:
      return format("%s has been busy with one packet for %.0f s", name.c_str(), inSeconds(found.span));
    case Kind::TooManyPackets:
      return format("%s processes %.3g packets a second and declared %.3g", name.c_str(),
                    found.packetsPerSecond, declared.perSecond());
    case Kind::TooFewPackets:
      break;
  }
  return format("%s processes only %.3g packets a second of the %.3g declared", name.c_str(),
                found.packetsPerSecond, declared.perSecond());
}

}  // namespace tactus::periodic
