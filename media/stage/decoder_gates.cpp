// SPDX-License-Identifier: Apache-2.0
#include "media/stage/decoder_gates.h"

#include <algorithm>
#include <mutex>
#include <utility>

namespace tactus::media {

DecoderGates::Counts DecoderGates::countsOf(const DecoderGate& gate) noexcept {
  if (!gate.ofPictures()) return {};
  return {gate.decoded(), gate.shedder().thinned(), gate.shedder().toKeyframe(),
          gate.shedder().byLastStage()};
}

DecoderGates::Gates DecoderGates::gates() const {
  const std::lock_guard lock(m_mutex);
  return m_gates;
}

void DecoderGates::add(std::shared_ptr<DecoderGate> gate) {
  const std::lock_guard lock(m_mutex);
  gate->setPlaying(m_playing);
  gate->setKeyframesOnly(m_keyframesOnly);
  m_gates.push_back(std::move(gate));
}

void DecoderGates::remove(const GstElement* decoder) {
  std::shared_ptr<DecoderGate> gone;
  {
    const std::lock_guard lock(m_mutex);
    const auto found = std::find_if(m_gates.begin(), m_gates.end(),
                                    [=](const auto& gate) { return gate->element() == decoder; });
    if (found == m_gates.end()) return;
    gone = std::move(*found);
    m_gates.erase(found);
    m_gone += countsOf(*gone);
    if (gone->ofPictures() && gone->nominalRate() > 0) m_goneRate = gone->nominalRate();
  }
  gone->detach();
}

void DecoderGates::detachAll() {
  for (const auto& gate : gates()) remove(gate->element());
}

void DecoderGates::setPlaying(bool playing) {
  const std::lock_guard lock(m_mutex);
  m_playing = playing;
  for (const auto& gate : m_gates) gate->setPlaying(playing);
}

void DecoderGates::setKeyframesOnly(bool only) {
  {
    const std::lock_guard lock(m_mutex);
    m_keyframesOnly = only;
    for (const auto& gate : m_gates) gate->setKeyframesOnly(only);
  }
  for (const auto& gate : gates()) gate->followFrequency();
}

void DecoderGates::adoptWorkers() {
  for (const auto& gate : gates()) gate->adoptWorkers();
}

void DecoderGates::forEachOfPictures(const std::function<void(const DecoderGate&)>& visit) const {
  for (const auto& gate : gates())
    if (gate->ofPictures()) visit(*gate);
}

DecoderGates::Counts DecoderGates::counts() const {
  const std::lock_guard lock(m_mutex);
  Counts counts = m_gone;
  for (const auto& gate : m_gates) counts += countsOf(*gate);
  return counts;
}

void DecoderGates::giveBackMemory() {
  for (const auto& gate : gates()) gate->giveBackMemory();
}

std::uint64_t DecoderGates::memory() const {
  const std::lock_guard lock(m_mutex);
  std::uint64_t sum = 0;
  for (const auto& gate : m_gates) sum += gate->memory();
  return sum;
}

double DecoderGates::nominalRate() const {
  const std::lock_guard lock(m_mutex);
  for (auto gate = m_gates.rbegin(); gate != m_gates.rend(); ++gate)
    if ((*gate)->ofPictures() && (*gate)->nominalRate() > 0) return (*gate)->nominalRate();
  return m_goneRate;
}

double DecoderGates::reservedFrequency(double least) const {
  double frequency = least;
  forEachOfPictures(
      [&](const DecoderGate& gate) { frequency = std::max(frequency, gate.shedder().reservedFrequency()); });
  return frequency;
}

}  // namespace tactus::media
