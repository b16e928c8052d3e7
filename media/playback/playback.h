// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "media/playback/announcements.h"
#include "media/playback/pipeline.h"
#include "media/playback/pipeline_settings.h"
#include "media/playback/played_item.h"
#include "media/playback/transport.h"

namespace tactus::media {

/// Makes the pipelines: of an item that is opened, of the same with another engine, of the next one.
/// Thread-safe: yes. Real-time-safe: no.
class Playback {
 public:
  Playback(PlayerConfig config, periodic::Scheduler& scheduler, std::shared_ptr<plugins::VideoTarget> target,
           PlayerListener& listener);

  Result<void> open(const std::string& uri, bool paused);
  void stop();
  /// Adds a file, which is shown, to the item that plays.
  Result<void> addSubtitles(const std::string& uri);
  /// Follows without a gap; empty = nothing.
  void setNext(std::string uri);

  /// Prerolls what setNext() named, hidden, so that it can follow at once.
  void prepareNext();
  /// At the end of an item: the address of the next one, which plays; nothing if none follows, or if the item
  /// is no longer the present one. What the next pipeline's bus has said while it was prepared is handled
  /// once it is the present one.
  [[nodiscard]] std::optional<std::string> goOnWithNext(const std::shared_ptr<Pipeline>& from);
  /// Whether the other engine tries its luck, or has done so already: the error need not be told.
  bool fallBack(const std::shared_ptr<Pipeline>& from, const Error& error);

  [[nodiscard]] const PlayerConfig& config() const noexcept { return m_config; }
  [[nodiscard]] plugins::VideoTarget& target() const noexcept { return *m_target; }
  [[nodiscard]] Announcements& announcements() noexcept { return m_announcements; }
  [[nodiscard]] Transport& transport() noexcept { return m_transport; }
  [[nodiscard]] PlayedItem& item() noexcept { return m_item; }
  [[nodiscard]] PipelineSettings& settings() noexcept { return m_settings; }

 private:
  Result<std::shared_ptr<Pipeline>> create(const std::string& uri, Engine engine, bool hidden);
  Result<void> start(const Transport::Control& control, const std::string& uri, Engine engine);
  static void addSubtitlesBeside(Pipeline& pipeline);
  void prepareNext(const Transport::Control& control);
  void dropUpcoming(const Transport::Control& control);

  const PlayerConfig m_config;
  periodic::Scheduler& m_scheduler;
  const std::shared_ptr<plugins::VideoTarget> m_target;  // shared with the sink's streaming thread
  Announcements m_announcements;
  Transport m_transport;
  PlayedItem m_item;
  PipelineSettings m_settings;
  // Under the transport's control: what follows (empty = nothing), and its pipeline, prerolled and hidden.
  std::string m_next;
  std::shared_ptr<Pipeline> m_upcoming;
};

}  // namespace tactus::media
