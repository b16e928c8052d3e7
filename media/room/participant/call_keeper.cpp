// SPDX-License-Identifier: Apache-2.0
#include "media/room/participant/call_keeper.h"

#include <pthread.h>

#include <chrono>
#include <string_view>
#include <system_error>
#include <utility>

namespace tactus::media {
namespace {

using periodic::MonotonicClock;
using periodic::Stage;
using periodic::TimePoint;

constexpr periodic::Duration kLook = std::chrono::milliseconds(100);
constexpr periodic::Duration kNamedInterval = std::chrono::seconds(1);
/// Packets of 1 kB at 1.6 Mbit/s; those of a keyframe come at once.
constexpr periodic::LbapContract kPackets{periodic::Rate::perSecond(200), 64};

std::string_view factoryOf(GstElement* element) {
  GstElementFactory* factory = element != nullptr ? gst_element_get_factory(element) : nullptr;
  return factory != nullptr ? GST_OBJECT_NAME(factory) : "";
}

}  // namespace

CallKeeper::CallKeeper(periodic::Scheduler& scheduler, StageAdopter& adopter, const std::string& label,
                       Stage direction, CallListener* listener)
    : m_adopter(adopter), m_listener(listener), m_named(scheduler, label, direction) {}

void CallKeeper::end() {
  stop();
  if (m_thread.joinable()) m_thread.join();
}

/// DTLS works at the beginning alone, and may take long: its thread stays ordinary.
void CallKeeper::onStreamStatus(GstMessage* message) {
  GstStreamStatusType type{};
  GstElement* owner = nullptr;
  gst_message_parse_stream_status(message, &type, &owner);
  if (factoryOf(owner) != "dtlsenc") m_adopter.onStreamStatus(message);
}

void CallKeeper::onElement(GstElement* element) {
  if (factoryOf(element) != "nicesrc") return;
  const plugins::PadPtr source(gst_element_get_static_pad(element, "src"));
  const std::lock_guard lock(m_mutex);
  m_receives = std::make_unique<CallStage>(
      m_adopter, CallStage::Terms{.stage = Stage::Receive, .name = "network", .lbap = kPackets}, source.get(),
      nullptr);
}

Result<void> CallKeeper::run(OfferingPeer& peer, Hooks hooks) {
  m_peer = &peer;
  m_hooks = std::move(hooks);
  try {
    m_thread = std::thread([this] { main(); });
  } catch (const std::system_error&) {
    return Error{ErrorCode::System, "There can be no more threads, and a call needs one."};
  }
  return {};
}

void CallKeeper::answered() {
  {
    const std::lock_guard lock(m_mutex);
    m_life.answered(MonotonicClock::now());
  }
  m_wake.signal();
}

void CallKeeper::stop() noexcept {
  m_stop.store(true);
  m_wake.signal();
}

CallLife CallKeeper::life() const {
  const std::lock_guard lock(m_mutex);
  return m_life;
}

std::vector<periodic::TaskReport> CallKeeper::namedThreads() const {
  const std::lock_guard lock(m_mutex);
  return m_named.report();
}

std::uint64_t CallKeeper::heard() const {
  const std::lock_guard lock(m_mutex);
  return m_receives ? m_receives->entered() : 0;
}

void CallKeeper::main() {
  pthread_setname_np(pthread_self(), "tactus-call");
  for (;;) {
    const bool ended = look(MonotonicClock::now());
    if (ended) {
      if (m_hooks.stop) m_hooks.stop();
      m_adopter.interruptAll();
      m_peer->stop();
    }
    tell();
    if (ended) return;
    m_wake.wait(kLook);
  }
}

bool CallKeeper::look(TimePoint now) {
  m_peer->followLatency();
  const TransportState transport = m_peer->state();
  const std::uint64_t packets = heard();
  std::string fault = m_peer->fault();
  if (fault.empty() && m_hooks.fault) fault = m_hooks.fault();
  {
    const std::lock_guard lock(m_mutex);
    m_life.update(now, transport, packets, std::move(fault));
    if (m_stop.load()) m_life.end("The call was ended here.");
    if (m_life.state() == CallState::Ended) return true;
    if (now - m_namedAt >= kNamedInterval) {
      m_namedAt = now;
      m_named.look();
    }
  }
  if (m_hooks.look) m_hooks.look(now);
  return false;
}

void CallKeeper::tell() {
  const CallLife life = this->life();
  if (std::exchange(m_told, life.state()) == life.state() || m_listener == nullptr) return;
  m_listener->onCallState(life.state(), life.why());
}

}  // namespace tactus::media
