// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gst/audio/audio.h>

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <span>

namespace tactus::plugins {

/// The speakers of 7.1, in GStreamer's and PipeWire's order.
enum class Speaker { FrontLeft, FrontRight, Center, Lfe, RearLeft, RearRight, SideLeft, SideRight, Count_ };
inline constexpr auto kSpeakers = static_cast<std::size_t>(Speaker::Count_);
inline constexpr std::uint64_t kSpeakerMask = 0xc3f;  ///< as a channel-mask of GStreamer's

/// A set of speakers, by their number. FrontLeft alone stands for mono.
using Speakers = std::bitset<kSpeakers>;

/// One sample for each speaker.
using SpeakerFrame = std::array<float, kSpeakers>;

/// Which speakers the channels of a sound belong to. Thread-safe: yes (immutable). Real-time-safe: yes.
class ChannelPlacement {
 public:
  ChannelPlacement() noexcept = default;
  /// Of eight channels at most. One channel is heard left and right. Channels without a position take the
  /// speakers in their order; a channel whose position 7.1 lacks is given to the speakers beside it.
  explicit ChannelPlacement(const GstAudioInfo& sound) noexcept;

  [[nodiscard]] std::size_t channels() const noexcept { return m_channels; }
  [[nodiscard]] Speakers speakers() const noexcept { return m_speakers; }
  /// `samples` are interleaved, as many for each of `frames` as the sound has channels.
  void spread(std::span<const float> samples, std::span<SpeakerFrame> frames) const noexcept;

 private:
  struct Share {
    std::size_t channel, speaker;
    float gain;
  };
  void add(Share share) noexcept;

  std::size_t m_channels = 0;
  std::array<Share, 2 * kSpeakers> m_shares{};  // a channel has two at most
  std::size_t m_count = 0;                      // of the shares
  Speakers m_speakers;
};

/// Writes the samples of some speakers, interleaved; gives where they end. Thread-safe: yes (pure).
/// Real-time-safe: yes.
float* gather(std::span<const SpeakerFrame> frames, const Speakers& speakers, float* into) noexcept;

}  // namespace tactus::plugins
