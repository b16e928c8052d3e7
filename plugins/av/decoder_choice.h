// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "plugins/av/hardware.h"

namespace tactus::plugins::av {

/// What decodes a stream of pictures: the first device that is wished and does not refuse it, else software.
/// One thread.
class DecoderChoice {
 public:
  /// Another stream, which may be taken by what refused the last.
  void forget();
  /// Null = software. Holds until it is chosen again.
  [[nodiscard]] const HardwareDevice* choose(HardwareWish wish);
  /// What was chosen does not decode such a stream.
  void refuse(const AVCodecParameters& stream);
  /// Whether what is wished, or known of this machine, has changed since the last choice. Real-time-safe:
  /// yes.
  [[nodiscard]] bool isOld(HardwareWish wish) const noexcept;

  [[nodiscard]] const HardwareDevice* chosen() const noexcept { return m_chosen; }
  /// Why software was chosen although a device is wished, in sentences; empty where that is not so.
  [[nodiscard]] std::string why() const;

 private:
  HardwareWish m_wish = HardwareWish::None;
  const Hardware* m_known = nullptr;         // at the last choice
  const HardwareDevice* m_chosen = nullptr;  // lives as long as the process
  std::vector<const HardwareDevice*> m_refused;
  std::string m_refusals;
};

}  // namespace tactus::plugins::av
