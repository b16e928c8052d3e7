// SPDX-License-Identifier: Apache-2.0
#include "ui/models/player_model.h"

#include <QClipboard>
#include <QGuiApplication>
#include <algorithm>
#include <cmath>

#include "ui/models/stats_text.h"

namespace tactus::ui {
namespace {

using media::PlayState;
using media::SeekMode;
using media::TrackKind;
using periodic::Duration;

Duration fromSeconds(double seconds) {
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(std::clamp(seconds, -1e9, 1e9)));
}
double toSeconds(Duration duration) {
  return std::chrono::duration<double>(duration).count();
}

const QHash<QString, Action>& namedActions() {
  static const QHash<QString, Action> table{{"togglePause", Action::TogglePause},
                                            {"next", Action::NextItem},
                                            {"previous", Action::PreviousItem},
                                            {"stepForward", Action::StepForward},
                                            {"stepBackward", Action::StepBackward},
                                            {"mute", Action::Mute},
                                            {"newWindow", Action::NewWindow},
                                            {"load", Action::Load},
                                            {"grid", Action::Grid},
                                            {"priorityHigh", Action::PriorityHigh},
                                            {"priorityNormal", Action::PriorityNormal},
                                            {"priorityBackground", Action::PriorityBackground},
                                            {"fullScreen", Action::FullScreen},
                                            {"stats", Action::Stats},
                                            {"help", Action::Help},
                                            {"openFile", Action::OpenFile},
                                            {"openUrl", Action::OpenUrl},
                                            {"nextChapter", Action::NextChapter},
                                            {"previousChapter", Action::PreviousChapter},
                                            {"stop", Action::Stop},
                                            {"volumeUp", Action::VolumeUp},
                                            {"volumeDown", Action::VolumeDown},
                                            {"loopFile", Action::LoopFile},
                                            {"screenshot", Action::Screenshot},
                                            {"seekForward", Action::SeekForward5},
                                            {"seekBack", Action::SeekBack5}};
  return table;
}

}  // namespace

PlayerModel::PlayerModel(periodic::Scheduler& scheduler, media::PlayerConfig config,
                         std::shared_ptr<plugins::VideoTarget> target, RecentFiles recent,
                         QString outputReason)
    : m_scheduler(scheduler), m_recent(std::move(recent)), m_outputReason(std::move(outputReason)) {
  auto created = media::Player::create(std::move(config), scheduler, std::move(target), *this);
  if (created.ok()) {
    m_player = std::move(created).value();
  } else {
    m_creationError = QString::fromStdString(created.error().message);
  }
  m_ticker.setInterval(200);
  connect(&m_ticker, &QTimer::timeout, this, &PlayerModel::tick);
  m_statsTimer.setInterval(500);
  connect(&m_statsTimer, &QTimer::timeout, this, &PlayerModel::refreshStats);
  m_toastTimer.setSingleShot(true);
  m_toastTimer.setInterval(1500);
  connect(&m_toastTimer, &QTimer::timeout, this, [this] {
    m_toast.clear();
    Q_EMIT toastChanged();
  });
}

PlayerModel::~PlayerModel() {
  m_player.reset();
}

void PlayerModel::onState(PlayState state) {
  QMetaObject::invokeMethod(
      this, [this, state] { applyState(state); }, Qt::QueuedConnection);
}
void PlayerModel::onInfo(const media::MediaInfo& info) {
  QMetaObject::invokeMethod(
      this, [this, info] { applyInfo(info); }, Qt::QueuedConnection);
}
void PlayerModel::onBuffering(int percent) {
  QMetaObject::invokeMethod(
      this,
      [this, percent] {
        m_buffering = percent;
        Q_EMIT bufferingChanged();
      },
      Qt::QueuedConnection);
}
void PlayerModel::onError(const Error& error) {
  QMetaObject::invokeMethod(
      this, [this, text = QString::fromStdString(error.message)] { fail(text); }, Qt::QueuedConnection);
}
void PlayerModel::onWarning(const std::string& sentence) {
  QMetaObject::invokeMethod(
      this, [this, text = QString::fromStdString(sentence)] { showToast(text); }, Qt::QueuedConnection);
}
void PlayerModel::onNextItem(const std::string&) {
  QMetaObject::invokeMethod(
      this,
      [this] {
        m_index = std::min(m_index + 1, playlistSize() - 1);
        if (m_index + 1 < playlistSize()) m_player->setNext(m_playlist[m_index + 1].toStdString());
        Q_EMIT playlistChanged();
      },
      Qt::QueuedConnection);
}
void PlayerModel::onEnded() {
  QMetaObject::invokeMethod(
      this, [this] { ended(); }, Qt::QueuedConnection);
}

QString PlayerModel::state() const {
  switch (m_state) {
    case PlayState::Idle:
      return QStringLiteral("idle");
    case PlayState::Opening:
      return QStringLiteral("opening");
    case PlayState::Paused:
      return QStringLiteral("paused");
    case PlayState::Playing:
      return QStringLiteral("playing");
    case PlayState::Buffering:
      return QStringLiteral("buffering");
    case PlayState::Ended:
      return QStringLiteral("ended");
    case PlayState::Failed:
      break;
  }
  return QStringLiteral("failed");
}

double PlayerModel::duration() const {
  return m_info.duration ? toSeconds(*m_info.duration) : 0;
}
double PlayerModel::position() const {
  return m_player ? toSeconds(m_player->position()) : 0;
}

QVariantList PlayerModel::tracks(const std::vector<media::Track>& list) {
  QVariantList result;
  for (const auto& track : list) {
    QStringList parts;
    if (!track.title.empty()) parts.append(QString::fromStdString(track.title));
    if (!track.language.empty()) parts.append(QString::fromStdString(track.language));
    if (!track.codec.empty() && track.title.empty()) parts.append(QString::fromStdString(track.codec));
    result.append(
        QVariantMap{{"index", track.index},
                    {"name", parts.isEmpty() ? tr("Track %1").arg(track.index + 1) : parts.join(" \u00b7 ")},
                    {"selected", track.selected}});
  }
  return result;
}

QVariantList PlayerModel::chapters() const {
  QVariantList result;
  for (const auto& chapter : m_info.chapters) {
    result.append(
        QVariantMap{{"title", QString::fromStdString(chapter.title)}, {"start", toSeconds(chapter.start)}});
  }
  return result;
}

void PlayerModel::applyState(PlayState state) {
  // A loop that begins again is no pause: nothing wakes up for it.
  if (state == PlayState::Ended && m_loop && m_info.seekable) m_beginsAgain = true;
  if (state == PlayState::Playing || state == PlayState::Failed) m_beginsAgain = false;
  if (m_beginsAgain || (state == PlayState::Playing && state == m_state)) return;
  m_state = state;
  if (state == PlayState::Playing) {
    m_ticker.start();
  } else {
    m_ticker.stop();
  }
  m_buffering = state == PlayState::Buffering ? m_buffering : 100;
  if (state == PlayState::Failed || state == PlayState::Ended) m_starting = false;
  Q_EMIT stateChanged();
  Q_EMIT positionChanged();
  if (state == PlayState::Playing) m_starting = false;
}

void PlayerModel::applyInfo(const media::MediaInfo& info) {
  if (info.cover != m_info.cover) {
    m_cover = info.cover
                  ? QStringLiteral("data:;base64,") +
                        QString::fromLatin1(QByteArray(reinterpret_cast<const char*>(info.cover->data()),
                                                       static_cast<qsizetype>(info.cover->size()))
                                                .toBase64())
                  : QString();
  }
  m_info = info;
  Q_EMIT infoChanged();
}

void PlayerModel::openAll(const QStringList& items, bool paused, double startSeconds) {
  m_playlist = items;
  openIndex(0, paused, startSeconds);
}

void PlayerModel::openUrls(const QList<QUrl>& urls) {
  QStringList items;
  for (const auto& url : urls) {
    const QString item = url.isLocalFile() ? url.toLocalFile() : url.toString();
    if (item.endsWith(".srt", Qt::CaseInsensitive) || item.endsWith(".ass", Qt::CaseInsensitive)) {
      addSubtitleFile(item);
    } else if (!item.isEmpty()) {
      items.append(item);
    }
  }
  if (!items.isEmpty()) openAll(items);
}

void PlayerModel::openIndex(int index, bool paused, double startSeconds) {
  if (!m_player || index < 0 || index >= playlistSize()) return;
  m_index = index;
  dismissError();
  m_loopStart = m_loopEnd = -1;
  const QString item = m_playlist[index];
  applyState(PlayState::Opening);  // at once, and not when the player's own word arrives
  const auto opened = m_player->open(item.toStdString(), paused);
  Q_EMIT playlistChanged();
  Q_EMIT loopChanged();
  if (!opened.ok()) {
    m_state = PlayState::Failed;
    Q_EMIT stateChanged();
    fail(QString::fromStdString(opened.error().message));
    return;
  }
  applyInfo(m_player->info());
  const QString uri = QString::fromStdString(m_player->info().uri);
  const double resume = startSeconds > 0 ? startSeconds : m_recent.position(uri);
  if (resume > 0) {
    m_player->seek(fromSeconds(resume), SeekMode::Exact);
    if (startSeconds <= 0) showToast(tr("Going on at %1").arg(timeText(resume)));
    m_recent.setPosition(uri, 0);
  }
  if (m_speed != 1) m_player->setSpeed(m_speed);
  if (index + 1 < playlistSize()) m_player->setNext(m_playlist[index + 1].toStdString());
  m_recent.add(uri);
  Q_EMIT recentChanged();
}

void PlayerModel::addSubtitleFile(const QString& path) {
  if (!m_player) return;
  const auto added = m_player->addSubtitles(path.toStdString());
  if (added.ok()) {
    showToast(tr("Subtitles: %1").arg(path.section('/', -1)));
  } else {
    fail(QString::fromStdString(added.error().message));
  }
}

void PlayerModel::ended() {
  if (m_loop) {
    m_player->seek(Duration{0}, SeekMode::Fast);
    m_player->play();
    return;
  }
  if (m_index + 1 < playlistSize()) openIndex(m_index + 1, false, 0);
}

void PlayerModel::tick() {
  if (m_loopStart >= 0 && m_loopEnd > m_loopStart && position() >= m_loopEnd) {
    m_player->seek(fromSeconds(m_loopStart), SeekMode::Exact);
  }
  Q_EMIT positionChanged();
}

void PlayerModel::refreshStats() {
  if (!m_player) return;
  std::vector<periodic::TaskReport> window;
  for (auto& task : m_scheduler.report()) {
    if (task.contract.stage == periodic::Stage::Render) window.push_back(std::move(task));
  }
  m_stats = statsText(m_player->statistics(), window, m_scheduler.gate(), m_outputReason);
  Q_EMIT statsChanged();
}

void PlayerModel::setStatsVisible(bool visible) {
  if (visible == m_statsVisible) return;
  m_statsVisible = visible;
  if (visible) {
    refreshStats();
    m_statsTimer.start();
  } else {
    m_statsTimer.stop();
  }
  Q_EMIT statsVisibleChanged();
}

void PlayerModel::setVolume(double volume) {
  m_volume = std::clamp(volume, 0.0, 1.3);
  if (m_player) m_player->setVolume(m_volume);
  Q_EMIT volumeChanged();
}

void PlayerModel::setMuted(bool muted) {
  m_muted = muted;
  if (m_player) m_player->setMuted(muted);
  Q_EMIT volumeChanged();
}

void PlayerModel::setSpeed(double speed) {
  m_speed = std::clamp(std::round(speed * 100) / 100, 0.25, 4.0);
  if (m_player) m_player->setSpeed(m_speed);
  showToast(tr("Speed %1").arg(m_speed, 0, 'g', 3));
  Q_EMIT speedChanged();
}

void PlayerModel::stepSpeed(double factor) {
  setSpeed(m_speed * factor);
}

void PlayerModel::setLoop(bool loop) {
  m_loop = loop;
  Q_EMIT loopChanged();
}

void PlayerModel::seek(double seconds, bool exact) {
  if (!m_player) return;
  m_player->seek(fromSeconds(seconds), exact ? SeekMode::Exact : SeekMode::Fast);
  Q_EMIT positionChanged();
}

void PlayerModel::seekBy(double seconds, SeekMode mode) {
  if (!m_player || !opened()) return;
  m_player->seekBy(fromSeconds(seconds), mode);
  showToast(timeText(position()) + (duration() > 0 ? " / " + timeText(duration()) : QString()));
  Q_EMIT positionChanged();
}

void PlayerModel::goToChapter(int step) {
  const auto& list = m_info.chapters;
  if (list.empty()) return;
  const double now = position() + (step > 0 ? 0.1 : -1.0);
  int target = 0;
  for (int i = 0; i < static_cast<int>(list.size()); ++i) {
    if (toSeconds(list[static_cast<std::size_t>(i)].start) <= now) target = i + (step > 0 ? 1 : 0);
  }
  if (target >= static_cast<int>(list.size())) return;
  const auto& chapter = list[static_cast<std::size_t>(target)];
  m_player->seek(chapter.start, SeekMode::Exact);
  showToast(QString::fromStdString(chapter.title));
}

void PlayerModel::selectTrack(const QString& kind, int index) {
  if (!m_player) return;
  const TrackKind which = kind == "audio"   ? TrackKind::Audio
                          : kind == "video" ? TrackKind::Video
                                            : TrackKind::Subtitle;
  m_player->selectTrack(which, index);
}

void PlayerModel::cycleTrack(TrackKind kind, int step, bool withNone) {
  const auto& list = kind == TrackKind::Audio   ? m_info.audio
                     : kind == TrackKind::Video ? m_info.video
                                                : m_info.subtitles;
  if (list.empty()) {
    showToast(tr("There is no such track."));
    return;
  }
  const int count = static_cast<int>(list.size());
  int current = -1;
  for (const auto& track : list) current = track.selected ? track.index : current;
  const int lowest = withNone ? -1 : 0;
  int next = current + step;
  if (next >= count) next = lowest;
  if (next < lowest) next = count - 1;
  m_player->selectTrack(kind, next);
  showToast(next < 0 ? tr("No subtitles") : tr("Track %1 of %2").arg(next + 1).arg(count));
}

void PlayerModel::cycleLoop() {
  if (m_loopStart < 0) {
    m_loopStart = position();
    showToast(tr("Loop from %1").arg(timeText(m_loopStart)));
  } else if (m_loopEnd < 0) {
    m_loopEnd = std::max(position(), m_loopStart + 0.1);
    showToast(tr("Loop %1 to %2").arg(timeText(m_loopStart), timeText(m_loopEnd)));
  } else {
    m_loopStart = m_loopEnd = -1;
    showToast(tr("Loop off"));
  }
  Q_EMIT loopChanged();
}

void PlayerModel::fail(const QString& sentence) {
  m_starting = false;
  m_error = sentence;
  Q_EMIT errorChanged();
}

void PlayerModel::dismissError() {
  if (m_error.isEmpty()) return;
  m_error.clear();
  Q_EMIT errorChanged();
}

void PlayerModel::showToast(const QString& text) {
  m_toast = text;
  m_toastTimer.start(text.size() > 40 ? 4000 : 1500);
  Q_EMIT toastChanged();
}

bool PlayerModel::handleKey(int key, int modifiers, const QString& text) {
  const auto action = actionFor(key, static_cast<Qt::KeyboardModifiers>(modifiers), text);
  if (!action) return false;
  perform(*action);
  return true;
}

void PlayerModel::perform(const QString& action) {
  if (const auto found = namedActions().constFind(action); found != namedActions().constEnd())
    perform(found.value());
}

bool PlayerModel::performPlayback(Action action) {
  switch (action) {
    case Action::TogglePause:
      m_player->togglePause();
      return true;
    case Action::Play:
      m_player->play();
      return true;
    case Action::Pause:
      m_player->pause();
      return true;
    case Action::Stop:
      m_player->stop();
      applyState(PlayState::Idle);
      return true;
    case Action::SeekBack5:
      seekBy(-5, SeekMode::Fast);
      return true;
    case Action::SeekForward5:
      seekBy(5, SeekMode::Fast);
      return true;
    case Action::SeekBack1:
      seekBy(-1, SeekMode::Exact);
      return true;
    case Action::SeekForward1:
      seekBy(1, SeekMode::Exact);
      return true;
    case Action::SeekBack60:
      seekBy(-60, SeekMode::Fast);
      return true;
    case Action::SeekForward60:
      seekBy(60, SeekMode::Fast);
      return true;
    case Action::SeekBack600:
      seekBy(-600, SeekMode::Fast);
      return true;
    case Action::SeekForward600:
      seekBy(600, SeekMode::Fast);
      return true;
    case Action::GoToStart:
      seek(0, true);
      return true;
    case Action::SpeedUp:
      stepSpeed(1.1);
      return true;
    case Action::SpeedDown:
      stepSpeed(1 / 1.1);
      return true;
    case Action::SpeedDouble:
      stepSpeed(2);
      return true;
    case Action::SpeedHalf:
      stepSpeed(0.5);
      return true;
    case Action::SpeedNormal:
      setSpeed(1);
      return true;
    case Action::StepForward:
      m_player->stepForward();
      Q_EMIT positionChanged();
      return true;
    case Action::StepBackward:
      m_player->stepBackward();
      Q_EMIT positionChanged();
      return true;
    case Action::NextSubtitle:
      cycleTrack(TrackKind::Subtitle, 1, true);
      return true;
    case Action::PreviousSubtitle:
      cycleTrack(TrackKind::Subtitle, -1, true);
      return true;
    case Action::ToggleSubtitles:
      cycleTrack(TrackKind::Subtitle, 1, true);
      return true;
    case Action::NextAudio:
      cycleTrack(TrackKind::Audio, 1, false);
      return true;
    case Action::NextVideo:
      cycleTrack(TrackKind::Video, 1, false);
      return true;
    case Action::NextChapter:
      goToChapter(1);
      return true;
    case Action::PreviousChapter:
      goToChapter(-1);
      return true;
    case Action::LoopAB:
      cycleLoop();
      return true;
    case Action::SubtitleLater:
    case Action::SubtitleEarlier:
      m_subtitleDelay += action == Action::SubtitleLater ? 0.1 : -0.1;
      m_player->setSubtitleDelay(fromSeconds(m_subtitleDelay));
      showToast(tr("Subtitle delay %1 s").arg(m_subtitleDelay, 0, 'f', 1));
      return true;
    default:
      return false;
  }
}

void PlayerModel::perform(Action action) {
  if (!m_player || performPlayback(action)) return;
  switch (action) {
    case Action::VolumeUp:
    case Action::VolumeDown:
      setVolume(m_volume + (action == Action::VolumeUp ? 0.02 : -0.02));
      showToast(tr("Volume %1 %").arg(std::lround(m_volume * 100)));
      break;
    case Action::Mute:
      setMuted(!m_muted);
      showToast(m_muted ? tr("Muted") : tr("Sound on"));
      break;
    case Action::LoopFile:
      setLoop(!m_loop);
      showToast(m_loop ? tr("Loops the file") : tr("Loop off"));
      break;
    case Action::NextItem:
      openIndex(m_index + 1, false, 0);
      break;
    case Action::PreviousItem:
      openIndex(m_index - 1, false, 0);
      break;
    case Action::FullScreen:
      Q_EMIT fullScreenToggled();
      break;
    case Action::LeaveFullScreen:
      Q_EMIT fullScreenLeft();
      break;
    case Action::Stats:
      setStatsVisible(!m_statsVisible);
      break;
    case Action::Help:
      Q_EMIT helpToggled();
      break;
    case Action::Screenshot:
      Q_EMIT screenshotRequested(false);
      break;
    case Action::ScreenshotWindow:
      Q_EMIT screenshotRequested(true);
      break;
    case Action::OpenFile:
      Q_EMIT openFileRequested();
      break;
    case Action::OpenUrl:
      Q_EMIT openUrlRequested();
      break;
    case Action::Paste:
      if (const QString text = QGuiApplication::clipboard()->text().trimmed(); !text.isEmpty()) open(text);
      break;
    case Action::ShowTime:
      showToast(timeText(position()) + " / " + timeText(duration()));
      break;
    case Action::QuitAndSave:
      if (opened()) m_recent.setPosition(QString::fromStdString(m_info.uri), position());
      Q_EMIT quitRequested();
      break;
    case Action::PriorityHigh:
      Q_EMIT priorityRequested(QStringLiteral("high"));
      break;
    case Action::PriorityNormal:
      Q_EMIT priorityRequested(QStringLiteral("normal"));
      break;
    case Action::PriorityBackground:
      Q_EMIT priorityRequested(QStringLiteral("background"));
      break;
    case Action::NewWindow:
      Q_EMIT newWindowRequested();
      break;
    case Action::Load:
      Q_EMIT loadRequested();
      break;
    case Action::Grid:
      Q_EMIT gridRequested();
      break;
    case Action::CloseWindow:
      Q_EMIT closeRequested();
      break;
    case Action::Quit:
      Q_EMIT quitRequested();
      break;
    default:
      break;
  }
}

QString PlayerModel::timeText(double seconds) {
  const auto whole = static_cast<qint64>(std::max(0.0, seconds));
  const QString tail =
      QStringLiteral("%1:%2").arg(whole / 60 % 60, 2, 10, QChar('0')).arg(whole % 60, 2, 10, QChar('0'));
  return whole >= 3600 ? QString::number(whole / 3600) + ":" + tail : tail;
}

}  // namespace tactus::ui
