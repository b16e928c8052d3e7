// SPDX-License-Identifier: Apache-2.0
#include "plugins/av/decoder_choice.h"

#include <algorithm>
#include <utility>

namespace tactus::plugins::av {

void DecoderChoice::forget() {
  m_refused.clear();
  m_refusals.clear();
}

const HardwareDevice* DecoderChoice::choose(HardwareWish wish) {
  m_wish = wish;
  m_known = Hardware::found();
  m_chosen = nullptr;
  if (wish == HardwareWish::None || m_known == nullptr) return nullptr;
  const auto& devices = m_known->devices();
  const auto found = std::find_if(devices.begin(), devices.end(), [&](const HardwareDevice& device) {
    return (wish == HardwareWish::Any || wish == device.kind) &&
           std::find(m_refused.begin(), m_refused.end(), &device) == m_refused.end();
  });
  if (found != devices.end()) m_chosen = &*found;
  return m_chosen;
}

void DecoderChoice::refuse(const AVCodecParameters& stream) {
  const char* profile = avcodec_profile_name(stream.codec_id, stream.profile);
  m_refused.push_back(m_chosen);
  m_refusals += (m_refusals.empty() ? "The " : " The ") + std::string(nameOf(m_chosen->kind)) +
                " device does not decode " + avcodec_get_name(stream.codec_id) +
                (profile != nullptr ? " (" + std::string(profile) + ")." : ".");
}

bool DecoderChoice::isOld(HardwareWish wish) const noexcept {
  return m_wish != wish || (wish != HardwareWish::None && m_known != Hardware::found());
}

std::string DecoderChoice::why() const {
  if (m_chosen != nullptr || m_wish == HardwareWish::None) return {};
  if (m_known == nullptr) return "The devices are still being looked for.";
  if (m_refusals.empty()) return m_known->missing();
  return m_refusals;
}

}  // namespace tactus::plugins::av
