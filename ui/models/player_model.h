// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <QStringList>
#include <QTimer>
#include <QUrl>
#include <QVariantList>
#include <functional>
#include <memory>

#include "media/playback/player.h"
#include "ui/models/loop_section.h"
#include "ui/models/playlist.h"
#include "ui/models/recent_files.h"
#include "ui/models/time_text.h"
#include "ui/models/track_list.h"

namespace tactus::ui {

struct Action;

/// One player as QML sees it: properties that change, and what the table of actions makes of it. GUI thread;
/// what the player says arrives queued. While nothing plays, no timer runs.
class PlayerModel : public QObject, private media::PlayerListener {
  Q_OBJECT
  Q_PROPERTY(QString state READ state NOTIFY stateChanged)
  Q_PROPERTY(bool playing READ playing NOTIFY stateChanged)
  Q_PROPERTY(bool opened READ opened NOTIFY stateChanged)
  /// It neither plays nor is about to.
  Q_PROPERTY(bool resting READ resting NOTIFY stateChanged)
  /// It is about to play for the first time.
  Q_PROPERTY(bool starting READ starting NOTIFY stateChanged)
  Q_PROPERTY(QString title READ title NOTIFY infoChanged)
  Q_PROPERTY(double duration READ duration NOTIFY infoChanged)
  Q_PROPERTY(bool seekable READ seekable NOTIFY infoChanged)
  Q_PROPERTY(bool hasVideo READ hasVideo NOTIFY infoChanged)
  Q_PROPERTY(QString cover READ cover NOTIFY infoChanged)
  Q_PROPERTY(QVariantList audioTracks READ audioTracks NOTIFY infoChanged)
  Q_PROPERTY(QVariantList videoTracks READ videoTracks NOTIFY infoChanged)
  Q_PROPERTY(QVariantList subtitleTracks READ subtitleTracks NOTIFY infoChanged)
  Q_PROPERTY(QVariantList secondSubtitleTracks READ secondSubtitleTracks NOTIFY infoChanged)
  Q_PROPERTY(QVariantList chapters READ chapters NOTIFY infoChanged)
  Q_PROPERTY(double position READ position NOTIFY positionChanged)
  Q_PROPERTY(double volume READ volume WRITE setVolume NOTIFY volumeChanged)
  Q_PROPERTY(bool muted READ muted WRITE setMuted NOTIFY volumeChanged)
  Q_PROPERTY(double speed READ speed WRITE setSpeed NOTIFY speedChanged)
  Q_PROPERTY(int buffering READ buffering NOTIFY bufferingChanged)
  Q_PROPERTY(QString error READ error NOTIFY errorChanged)
  Q_PROPERTY(QString toast READ toast NOTIFY toastChanged)
  Q_PROPERTY(QStringList recent READ recent NOTIFY recentChanged)
  Q_PROPERTY(bool loop READ loop NOTIFY loopChanged)
  Q_PROPERTY(double loopStart READ loopStart NOTIFY loopChanged)
  Q_PROPERTY(double loopEnd READ loopEnd NOTIFY loopChanged)
  Q_PROPERTY(bool statsVisible READ statsVisible WRITE setStatsVisible NOTIFY statsVisibleChanged)
  Q_PROPERTY(QString stats READ stats NOTIFY statsChanged)
  Q_PROPERTY(int playlistIndex READ playlistIndex NOTIFY playlistChanged)
  Q_PROPERTY(int playlistSize READ playlistSize NOTIFY playlistChanged)

 public:
  PlayerModel(periodic::Scheduler& scheduler, media::PlayerConfig config,
              std::shared_ptr<plugins::VideoTarget> target, RecentFiles recent, QString outputReason);
  ~PlayerModel() override;
  /// Why there is no player at all; empty normally.
  [[nodiscard]] QString creationError() const { return m_creationError; }
  [[nodiscard]] media::Player* player() { return m_player.get(); }

  [[nodiscard]] QString state() const;
  [[nodiscard]] bool playing() const { return m_state == media::PlayState::Playing; }
  /// Pictures come, or are about to.
  [[nodiscard]] bool active() const {
    return m_state == media::PlayState::Opening || m_state == media::PlayState::Playing;
  }
  [[nodiscard]] bool opened() const {
    return m_state != media::PlayState::Idle && m_state != media::PlayState::Failed;
  }
  [[nodiscard]] bool resting() const { return m_state != media::PlayState::Playing && !m_starting; }
  [[nodiscard]] bool starting() const { return m_starting; }
  /// The film that was opened will be played as soon as it can be.
  void expectStart() { m_starting = true; }
  [[nodiscard]] QString title() const { return QString::fromStdString(m_info.title); }
  /// The URI of the film; empty when none is open.
  [[nodiscard]] QString uri() const { return QString::fromStdString(m_info.uri); }
  [[nodiscard]] double duration() const;
  [[nodiscard]] bool seekable() const { return m_info.seekable; }
  [[nodiscard]] bool hasVideo() const { return m_info.hasVideo; }
  [[nodiscard]] QString cover() const { return m_cover; }
  [[nodiscard]] QVariantList audioTracks() const { return describe(m_info.audio); }
  [[nodiscard]] QVariantList videoTracks() const { return describe(m_info.video); }
  [[nodiscard]] QVariantList subtitleTracks() const { return describe(m_info.subtitles); }
  [[nodiscard]] QVariantList secondSubtitleTracks() const { return describe(shownAbove(m_info.subtitles)); }
  [[nodiscard]] QVariantList chapters() const { return describe(m_info.chapters); }
  [[nodiscard]] double position() const;
  [[nodiscard]] double volume() const { return m_volume; }
  [[nodiscard]] bool muted() const { return m_muted; }
  [[nodiscard]] double speed() const { return m_speed; }
  [[nodiscard]] int buffering() const { return m_buffering; }
  [[nodiscard]] QString error() const { return m_error; }
  [[nodiscard]] QString toast() const { return m_toast; }
  [[nodiscard]] QStringList recent() const { return m_recent.items(); }
  [[nodiscard]] bool loop() const { return m_playlist.loop(); }
  [[nodiscard]] double loopStart() const { return m_section.start(); }
  [[nodiscard]] double loopEnd() const { return m_section.end(); }
  [[nodiscard]] bool statsVisible() const { return m_statsVisible; }
  [[nodiscard]] QString stats() const { return m_stats; }
  [[nodiscard]] int playlistIndex() const { return m_playlist.index(); }
  [[nodiscard]] int playlistSize() const { return m_playlist.size(); }
  [[nodiscard]] bool lastFailed() const { return m_state == media::PlayState::Failed; }

  void setVolume(double volume);
  void setMuted(bool muted);
  void setSpeed(double speed);
  void setStatsVisible(bool visible);
  void setLoop(bool loop);

  /// Replaces the playlist and opens its first item. The link of a call is joined instead.
  void openAll(const QStringList& items, bool paused = false, double startSeconds = 0);
  void addSubtitleFile(const QString& path);

  Q_INVOKABLE void open(const QString& item) { openAll({item}); }
  /// Says what is wrong with a link that is none.
  Q_INVOKABLE void joinCall(const QString& link);
  Q_INVOKABLE void openUrls(const QList<QUrl>& urls);
  Q_INVOKABLE void seek(double seconds, bool exact);
  Q_INVOKABLE void selectTrack(const QString& kind, int index);
  Q_INVOKABLE void dismissError();
  /// False for a key that means nothing.
  Q_INVOKABLE bool handleKey(int key, int modifiers, const QString& text);
  Q_INVOKABLE void perform(const QString& action);
  Q_INVOKABLE static QString timeText(double seconds) { return ui::timeText(seconds); }
  void showToast(const QString& text);

  // What actions do, besides the setters above. All need player().
  void perform(const Action& action);
  void stop();
  void seekBy(double seconds, media::SeekMode mode);
  void stepFrame(int step);
  void goToChapter(int step);
  void cycleTrack(media::TrackKind kind, int step);
  void changeSpeed(double factor) { setSpeed(m_speed * factor); }
  void changeVolume(double by);
  void toggleMute();
  void toggleLoop();
  void markLoop();
  void delaySubtitles(periodic::Duration by);
  /// Shown or hidden; where none are selected the first are.
  void toggleSubtitles();
  void toggleHardware();
  void scaleSubtitles(double factor);
  void raiseSubtitles(double by);
  void cycleSecondSubtitles();
  void showTime();
  void openClipboard();
  void openNext() { openIndex(m_playlist.index() + 1, false, 0); }
  void openPrevious() { openIndex(m_playlist.index() - 1, false, 0); }
  void quitAndSave();

 Q_SIGNALS:
  void stateChanged();
  void infoChanged();
  void positionChanged();
  void volumeChanged();
  void speedChanged();
  void bufferingChanged();
  void errorChanged();
  void toastChanged();
  void recentChanged();
  void loopChanged();
  void statsVisibleChanged();
  void statsChanged();
  void playlistChanged();
  // What only the window can do.
  void fullScreenToggled();
  void fullScreenLeft();
  void openFileRequested();
  void openUrlRequested();
  void helpToggled();
  void priorityRequested(const QString& priority);
  void newWindowRequested();
  void joinRequested();                     ///< a link is to be asked for
  void callRequested(const QString& link);  ///< to be joined; empty: a room of its own
  void loadRequested();
  void gridRequested();
  void closeRequested();
  void screenshotRequested(bool window);
  void quitRequested();

 private:
  // PlayerListener: bus thread; each only queues to the GUI thread.
  void onState(media::PlayState state) override;
  void onInfo(const media::MediaInfo& info) override;
  void onBuffering(int percent) override;
  void onError(const Error& error) override;
  void onWarning(const std::string& sentence) override;
  void onNextItem(const std::string& uri) override;
  void onEnded() override;

  void queued(std::function<void()> change);
  void openIndex(int index, bool paused, double startSeconds);
  void applyState(media::PlayState state);
  void applyInfo(const media::MediaInfo& info);
  void ended();
  void tick();
  void refreshStats();
  void fail(const QString& sentence);

  periodic::Scheduler& m_scheduler;
  std::unique_ptr<media::Player> m_player;
  QString m_creationError;
  RecentFiles m_recent;
  QString m_outputReason;
  media::PlayState m_state = media::PlayState::Idle;
  media::MediaInfo m_info;
  QString m_cover;
  Playlist m_playlist;
  LoopSection m_section;
  double m_volume = 1, m_speed = 1;
  bool m_muted = false;
  int m_buffering = 100;
  QString m_error, m_toast, m_stats;
  bool m_beginsAgain = false, m_starting = false;
  bool m_statsVisible = false;
  QTimer m_ticker, m_statsTimer, m_toastTimer;
};

}  // namespace tactus::ui
