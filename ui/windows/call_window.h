// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <QSize>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "ui/models/call_model.h"
#include "ui/models/film_load.h"
#include "ui/models/prejoin_model.h"
#include "ui/video/tile_target.h"
#include "ui/video/video_output.h"

class QQuickItem;
class QQuickWindow;

namespace tactus::ui {

class CallCatalogue;
class CallCell;
class CallInvitation;
class QmlScene;
class RenderStage;
class VideoTile;

/// A call: a place for each participant and each shared screen, and what can be done in it. GUI thread.
class CallWindow : public QObject {
  Q_OBJECT

 public:
  struct Options {
    OutputChoice output;
    CallModel::Options call;  ///< where pictures go, and who hears of invitations, is the window's
    std::string invitation;   ///< a guest's link, if one is known
    bool hosting = false;     ///< the room goes with the window
    /// Name and devices are chosen first, on a page of their own; absent: it begins to join at once.
    std::optional<CallMemory> memory = {};
    PrejoinModel::Given given = {};
    QSize size;  ///< empty: 1280 x 720
    bool fullScreen = false;
  };
  /// chooseVideoOutput() comes first; `scheduler` outlives the window. Unsupported: a module of Qt Quick is
  /// missing.
  [[nodiscard]] static Result<std::unique_ptr<CallWindow>> create(Options options,
                                                                  periodic::Scheduler& scheduler);
  /// Leaves the call. Blocking, for a moment.
  ~CallWindow() override;
  [[nodiscard]] CallModel& call() { return *m_call; }
  [[nodiscard]] CallInvitation& invitation() { return *m_invitation; }
  /// Null once all is chosen.
  [[nodiscard]] PrejoinModel* prejoin() { return m_prejoin.get(); }
  [[nodiscard]] QQuickWindow& window() { return *m_window; }
  /// In the order of their places.
  [[nodiscard]] const std::vector<std::unique_ptr<CallCell>>& cells() const { return m_cells; }
  /// What the load window shows of the streams that are received.
  [[nodiscard]] std::vector<FilmLoad> loads() const;

 Q_SIGNALS:
  void loadRequested();
  void newWindowRequested();
  void closed();  ///< by its user; its owner may destroy it

 private:
  /// Where the pictures of each stream go. A stream that comes anew goes where it went. Thread-safe: yes.
  class Targets {
   public:
    explicit Targets(VideoOutput output) : m_output(output) {}
    [[nodiscard]] std::shared_ptr<TileTarget> of(const conference::StreamKey& key);
    void keepOnly(const std::vector<CallTileFacts>& tiles);

   private:
    const VideoOutput m_output;
    std::mutex m_mutex;
    std::map<conference::StreamKey, std::shared_ptr<TileTarget>> m_targets;
  };

  CallWindow(VideoOutput output, media::LoadGovernor* governor, periodic::Scheduler& scheduler);
  [[nodiscard]] Result<void> build(Options options);
  void connectModel();
  void join();
  void follow();
  [[nodiscard]] std::unique_ptr<CallCell> newCell(const CallTileFacts& facts);
  void arrange();
  void followPictures();
  void followWindows();
  void tellPlaces();
  [[nodiscard]] std::vector<bool> large() const;

  media::LoadGovernor* const m_governor;
  periodic::Scheduler& m_scheduler;
  Targets m_targets;
  const std::shared_ptr<TileTarget> m_preview;  // shared with the stream that is sent
  std::unique_ptr<CallModel> m_call;
  std::unique_ptr<CallInvitation> m_invitation;
  std::unique_ptr<PrejoinModel> m_prejoin;
  std::unique_ptr<VideoTile> m_mirror;  // of the page before the call
  std::unique_ptr<CallCatalogue> m_actions;
  std::unique_ptr<QmlScene> m_scene;
  QQuickWindow* m_window = nullptr;  // the scene's
  QQuickItem* m_field = nullptr;     // owned by the window
  std::unique_ptr<RenderStage> m_render;
  std::vector<std::unique_ptr<CallCell>> m_cells;
};

}  // namespace tactus::ui
