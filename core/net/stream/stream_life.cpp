// SPDX-License-Identifier: Apache-2.0
#include "core/net/stream/stream_life.h"

#include <array>

namespace tactus::net {
namespace {

struct Transition {
  StreamOperation operation;
  StreamState from, to;
};

/// Figure 5. What is not here is not possible.
constexpr std::array<Transition, 10> kTransitions{{
    {StreamOperation::Attach, StreamState::Ready, StreamState::Attached},
    {StreamOperation::Connect, StreamState::Attached, StreamState::Connected},
    {StreamOperation::Start, StreamState::Connected, StreamState::Live},
    {StreamOperation::Pause, StreamState::Live, StreamState::Paused},
    {StreamOperation::Resume, StreamState::Paused, StreamState::Live},
    {StreamOperation::Stop, StreamState::Live, StreamState::Connected},
    {StreamOperation::Stop, StreamState::Paused, StreamState::Connected},
    {StreamOperation::Disconnect, StreamState::Connected, StreamState::Attached},
    {StreamOperation::Disconnect, StreamState::Live, StreamState::Attached},
    {StreamOperation::Disconnect, StreamState::Paused, StreamState::Attached},
}};

constexpr const Transition* find(StreamOperation operation, StreamState from) noexcept {
  for (const Transition& each : kTransitions)
    if (each.operation == operation && each.from == from) return &each;
  return nullptr;
}

/// "The port cannot be ...".
constexpr std::string_view participleOf(StreamOperation operation) noexcept {
  switch (operation) {
    case StreamOperation::Attach:
      return "given a handler";
    case StreamOperation::Connect:
      return "connected";
    case StreamOperation::Start:
      return "started";
    case StreamOperation::Pause:
      return "paused";
    case StreamOperation::Resume:
      return "resumed";
    case StreamOperation::Stop:
      return "stopped";
    case StreamOperation::Disconnect:
      return "disconnected";
  }
  return "";
}

/// The states in which it is possible: "live or paused".
std::string statesOf(StreamOperation operation) {
  std::string states;
  for (const Transition& each : kTransitions) {
    if (each.operation != operation) continue;
    if (!states.empty()) states += " or ";
    states += nameOf(each.from);
  }
  return states;
}

}  // namespace

std::string_view nameOf(StreamState state) noexcept {
  switch (state) {
    case StreamState::Ready:
      return "ready";
    case StreamState::Attached:
      return "attached";
    case StreamState::Connected:
      return "connected";
    case StreamState::Live:
      return "live";
    case StreamState::Paused:
      return "paused";
  }
  return "";
}

bool StreamLife::can(StreamOperation operation) const noexcept {
  return find(operation, m_state) != nullptr;
}

Result<void> StreamLife::apply(StreamOperation operation) {
  const Transition* transition = find(operation, m_state);
  if (transition == nullptr)
    return Error{ErrorCode::InvalidArgument,
                 "The port " + m_port + " cannot be " + std::string(participleOf(operation)) + ": it is " +
                     std::string(nameOf(m_state)) + ", not " + statesOf(operation) + "."};
  m_state = transition->to;
  return {};
}

Result<void> StreamLife::connect() {
  auto done = apply(StreamOperation::Connect);
  if (done.ok()) m_lastError.clear();
  return done;
}

Result<void> StreamLife::disconnect(std::string reason) {
  auto done = apply(StreamOperation::Disconnect);
  if (done.ok()) m_lastError = std::move(reason);
  return done;
}

}  // namespace tactus::net
