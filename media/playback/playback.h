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
  ~Playback() { m_tap->end(); }
  Playback(const Playback&) = delete;
  Playback& operator=(const Playback&) = delete;

  Result<void> open(const std::string& uri, bool paused, Duration at);
  void stop();
  /// Adds a file, which is shown, to the item that plays.
  Result<void> addSubtitles(const std::string& uri);
  /// Follows, without a gap where the pipeline can go on with it; empty = nothing.
  void setNext(std::string uri);

  /// All of the item is read: the pipeline opens what setNext() named.
  void prepareNext(const std::shared_ptr<Pipeline>& from);
  /// The pipeline has gone on with the next item: its address. Nothing if it is no longer the present one.
  [[nodiscard]] std::optional<std::string> goOn(const std::shared_ptr<Pipeline>& from);
  /// At the end of an item: the address of the next one, which another pipeline plays; nothing if none
  /// follows, or if the item is no longer the present one.
  [[nodiscard]] std::optional<std::string> goOnWithNext(const std::shared_ptr<Pipeline>& from);
  /// Whether the other engine tries its luck, or has done so already: the error need not be told.
  bool fallBack(const std::shared_ptr<Pipeline>& from, const Error& error);

  [[nodiscard]] const PlayerConfig& config() const noexcept { return m_config; }
  [[nodiscard]] plugins::VideoTarget& target() const noexcept { return *m_target; }
  [[nodiscard]] const std::shared_ptr<FilmTap>& tap() const noexcept { return m_tap; }
  [[nodiscard]] Announcements& announcements() noexcept { return m_announcements; }
  [[nodiscard]] Transport& transport() noexcept { return m_transport; }
  [[nodiscard]] PlayedItem& item() noexcept { return m_item; }
  [[nodiscard]] PipelineSettings& settings() noexcept { return m_settings; }

 private:
  Result<std::shared_ptr<Pipeline>> create(const std::string& uri, Engine engine);
  Result<void> start(const Transport::Control& control, const std::string& uri, Engine engine);
  void startItem(const Transport::Control& control);
  void prepareNext(const Transport::Control& control, Pipeline& pipeline);

  const PlayerConfig m_config;
  periodic::Scheduler& m_scheduler;
  const std::shared_ptr<plugins::VideoTarget> m_target;  // shared with the sink's streaming thread
  const std::shared_ptr<FilmTap> m_tap = std::make_shared<FilmTap>();  // shared with who takes of it
  Announcements m_announcements;
  Transport m_transport;
  PlayedItem m_item;
  PipelineSettings m_settings;
  // Under the transport's control.
  std::string m_next;        // what follows; empty = nothing
  std::string m_given;       // what the pipeline goes on with; empty = nothing
  bool m_readToEnd = false;  // all of the item is read
};

}  // namespace tactus::media
