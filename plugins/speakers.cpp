// SPDX-License-Identifier: Apache-2.0
#include "plugins/speakers.h"

#include <algorithm>
#include <numbers>

namespace tactus::plugins {
namespace {

constexpr float kHalfPower = 1 / std::numbers::sqrt2_v<float>;

struct Place {
  GstAudioChannelPosition position;
  Speaker speaker;
  float gain;
};

/// A position with two speakers has two rows.
constexpr auto kPlaces = std::to_array<Place>({
    {GST_AUDIO_CHANNEL_POSITION_MONO, Speaker::FrontLeft, 1},
    {GST_AUDIO_CHANNEL_POSITION_MONO, Speaker::FrontRight, 1},
    {GST_AUDIO_CHANNEL_POSITION_FRONT_LEFT, Speaker::FrontLeft, 1},
    {GST_AUDIO_CHANNEL_POSITION_FRONT_RIGHT, Speaker::FrontRight, 1},
    {GST_AUDIO_CHANNEL_POSITION_FRONT_CENTER, Speaker::Center, 1},
    {GST_AUDIO_CHANNEL_POSITION_LFE1, Speaker::Lfe, 1},
    {GST_AUDIO_CHANNEL_POSITION_LFE2, Speaker::Lfe, 1},
    {GST_AUDIO_CHANNEL_POSITION_REAR_LEFT, Speaker::RearLeft, 1},
    {GST_AUDIO_CHANNEL_POSITION_REAR_RIGHT, Speaker::RearRight, 1},
    {GST_AUDIO_CHANNEL_POSITION_REAR_CENTER, Speaker::RearLeft, kHalfPower},
    {GST_AUDIO_CHANNEL_POSITION_REAR_CENTER, Speaker::RearRight, kHalfPower},
    {GST_AUDIO_CHANNEL_POSITION_SIDE_LEFT, Speaker::SideLeft, 1},
    {GST_AUDIO_CHANNEL_POSITION_SIDE_RIGHT, Speaker::SideRight, 1},
    {GST_AUDIO_CHANNEL_POSITION_FRONT_LEFT_OF_CENTER, Speaker::FrontLeft, 1},
    {GST_AUDIO_CHANNEL_POSITION_FRONT_RIGHT_OF_CENTER, Speaker::FrontRight, 1},
    {GST_AUDIO_CHANNEL_POSITION_TOP_FRONT_LEFT, Speaker::FrontLeft, kHalfPower},
    {GST_AUDIO_CHANNEL_POSITION_TOP_FRONT_RIGHT, Speaker::FrontRight, kHalfPower},
    {GST_AUDIO_CHANNEL_POSITION_TOP_REAR_LEFT, Speaker::RearLeft, kHalfPower},
    {GST_AUDIO_CHANNEL_POSITION_TOP_REAR_RIGHT, Speaker::RearRight, kHalfPower},
    {GST_AUDIO_CHANNEL_POSITION_TOP_SIDE_LEFT, Speaker::SideLeft, kHalfPower},
    {GST_AUDIO_CHANNEL_POSITION_TOP_SIDE_RIGHT, Speaker::SideRight, kHalfPower},
});

}  // namespace

ChannelPlacement::ChannelPlacement(const GstAudioInfo& sound) noexcept
    : m_channels(std::min(static_cast<std::size_t>(GST_AUDIO_INFO_CHANNELS(&sound)), kSpeakers)) {
  for (std::size_t channel = 0; channel < m_channels; ++channel) {
    const auto before = m_count;
    const auto position = m_channels == 1 ? GST_AUDIO_CHANNEL_POSITION_MONO : sound.position[channel];
    for (const Place& place : kPlaces)
      if (place.position == position) add({channel, static_cast<std::size_t>(place.speaker), place.gain});
    if (m_count > before) continue;
    const bool ordered = GST_AUDIO_INFO_IS_UNPOSITIONED(&sound);
    add({channel, ordered ? channel : static_cast<std::size_t>(Speaker::Center), 1});
  }
  if (m_channels == 1) m_speakers.reset(static_cast<std::size_t>(Speaker::FrontRight));
}

void ChannelPlacement::add(Share share) noexcept {
  m_shares[m_count++] = share;
  m_speakers.set(share.speaker);
}

void ChannelPlacement::spread(std::span<const float> samples, std::span<SpeakerFrame> frames) const noexcept {
  const std::span shares(m_shares.data(), m_count);
  const float* sample = samples.data();
  for (SpeakerFrame& frame : frames) {
    frame.fill(0);
    for (const Share& share : shares) frame[share.speaker] += share.gain * sample[share.channel];
    sample += m_channels;
  }
}

float* gather(std::span<const SpeakerFrame> frames, const Speakers& speakers, float* into) noexcept {
  for (const SpeakerFrame& frame : frames)
    for (std::size_t speaker = 0; speaker < kSpeakers; ++speaker)
      if (speakers.test(speaker)) *into++ = frame[speaker];
  return into;
}

}  // namespace tactus::plugins
