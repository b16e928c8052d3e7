// SPDX-License-Identifier: Apache-2.0
#include "ui/models/player_model.h"

#include <QClipboard>
#include <QGuiApplication>
#include <algorithm>
#include <cmath>

#include "conference/door/room_link.h"
#include "media/playback/media_path.h"
#include "media/playback/subtitles_beside.h"
#include "ui/models/actions.h"
#include "ui/models/stats_text.h"

namespace tactus::ui {
namespace {

using media::PlayState;
using media::SeekMode;
using periodic::Duration;

/// Within thirty years, so that positions may be added.
Duration placeAt(double seconds) {
  return periodic::fromSeconds(std::clamp(seconds, -1e9, 1e9));
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

/// Runs `change` on the GUI thread, later; not at all if the model goes first.
void PlayerModel::queued(std::function<void()> change) {
  QMetaObject::invokeMethod(this, std::move(change), Qt::QueuedConnection);
}

void PlayerModel::onState(PlayState state) {
  queued([this, state] { applyState(state); });
}
void PlayerModel::onInfo(const media::MediaInfo& info) {
  queued([this, info] { applyInfo(info); });
}
void PlayerModel::onBuffering(int percent) {
  queued([this, percent] {
    m_buffering = percent;
    Q_EMIT bufferingChanged();
  });
}
void PlayerModel::onError(const Error& error) {
  queued([this, text = QString::fromStdString(error.message)] { fail(text); });
}
void PlayerModel::onWarning(const std::string& sentence) {
  queued([this, text = QString::fromStdString(sentence)] { showToast(text); });
}
void PlayerModel::onNextItem(const std::string&) {
  queued([this] {
    m_playlist.moveTo(m_playlist.index() + 1);
    if (m_playlist.hasNext()) m_player->setNext(m_playlist.next().toStdString());
    Q_EMIT playlistChanged();
  });
}
void PlayerModel::onEnded() {
  queued([this] { ended(); });
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
    case PlayState::Held:
      return QStringLiteral("held");
    case PlayState::Ended:
      return QStringLiteral("ended");
    case PlayState::Failed:
      break;
  }
  return QStringLiteral("failed");
}

double PlayerModel::duration() const {
  return m_info.duration ? periodic::inSeconds(*m_info.duration) : 0;
}
double PlayerModel::position() const {
  return m_player ? periodic::inSeconds(m_player->position()) : 0;
}

void PlayerModel::applyState(PlayState state) {
  // A loop that begins again is no pause: nothing wakes up for it.
  if (state == PlayState::Ended && loop() && m_info.seekable) m_beginsAgain = true;
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
  if (items.size() == 1 && conference::RoomLink::parse(items.front().toStdString()).ok())
    return Q_EMIT callRequested(items.front());
  m_playlist.replace(items);
  openIndex(0, paused, startSeconds);
}

void PlayerModel::joinCall(const QString& link) {
  const auto parsed = conference::RoomLink::parse(link.toStdString());
  if (!parsed.ok()) return showToast(QString::fromStdString(parsed.error().message));
  Q_EMIT callRequested(link);
}

void PlayerModel::openUrls(const QList<QUrl>& urls) {
  QStringList items;
  for (const auto& url : urls) {
    const QString item = url.isLocalFile() ? url.toLocalFile() : url.toString();
    if (media::namesSubtitles(item.toStdString())) {
      addSubtitleFile(item);
    } else if (!item.isEmpty()) {
      items.append(item);
    }
  }
  if (!items.isEmpty()) openAll(items);
}

void PlayerModel::openIndex(int index, bool paused, double startSeconds) {
  if (!m_player || !m_playlist.moveTo(index)) return;
  dismissError();
  m_section.clear();
  applyState(PlayState::Opening);  // at once, and not when the player's own word arrives
  const std::string item = m_playlist.current().toStdString();
  double start = startSeconds;
  if (const auto found = media::uriOf(item); found.ok() && start <= 0)
    start = m_recent.position(QString::fromStdString(found.value()));
  const auto opened = m_player->open(item, paused, placeAt(start));
  Q_EMIT playlistChanged();
  Q_EMIT loopChanged();
  if (!opened.ok()) {
    m_state = PlayState::Failed;
    Q_EMIT stateChanged();
    fail(QString::fromStdString(opened.error().message));
    return;
  }
  applyInfo(m_player->info());
  if (start > 0) {
    if (startSeconds <= 0) showToast(tr("Going on at %1").arg(timeText(start)));
    m_recent.setPosition(uri(), 0);
  }
  if (m_speed != 1) m_player->setSpeed(m_speed);
  if (m_playlist.hasNext()) m_player->setNext(m_playlist.next().toStdString());
  m_recent.add(uri());
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
  switch (m_playlist.atEnd()) {
    case Playlist::AtEnd::Again:
      m_player->seek(Duration{0}, SeekMode::Fast);
      m_player->play();
      break;
    case Playlist::AtEnd::Next:
      openNext();
      break;
    case Playlist::AtEnd::Stop:
      break;
  }
}

void PlayerModel::tick() {
  if (m_section.goesBackAt(position())) m_player->seek(placeAt(m_section.start()), SeekMode::Exact);
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

void PlayerModel::setLoop(bool loop) {
  m_playlist.setLoop(loop);
  Q_EMIT loopChanged();
}

void PlayerModel::seek(double seconds, bool exact) {
  if (!m_player) return;
  m_player->seek(placeAt(seconds), exact ? SeekMode::Exact : SeekMode::Fast);
  Q_EMIT positionChanged();
}

void PlayerModel::seekBy(double seconds, SeekMode mode) {
  if (!m_player || !opened()) return;
  m_player->seekBy(placeAt(seconds), mode);
  showToast(timeText(position()) + (duration() > 0 ? " / " + timeText(duration()) : QString()));
  Q_EMIT positionChanged();
}

void PlayerModel::goToChapter(int step) {
  const auto target = chapterFrom(m_info.chapters, position(), step);
  if (!target) return;
  const auto& chapter = m_info.chapters[*target];
  m_player->seek(chapter.start, SeekMode::Exact);
  showToast(QString::fromStdString(chapter.title));
}

void PlayerModel::markLoop() {
  switch (m_section.mark(position())) {
    case LoopSection::Marked::Start:
      showToast(tr("Loop from %1").arg(timeText(loopStart())));
      break;
    case LoopSection::Marked::End:
      showToast(tr("Loop %1 to %2").arg(timeText(loopStart()), timeText(loopEnd())));
      break;
    case LoopSection::Marked::Nothing:
      showToast(tr("Loop off"));
      break;
  }
  Q_EMIT loopChanged();
}

void PlayerModel::stop() {
  m_player->stop();
  applyState(PlayState::Idle);
}

void PlayerModel::stepFrame(int step) {
  step > 0 ? m_player->stepForward() : m_player->stepBackward();
  Q_EMIT positionChanged();
}

void PlayerModel::changeVolume(double by) {
  setVolume(m_volume + by);
  showToast(tr("Volume %1 %").arg(std::lround(m_volume * 100)));
}

void PlayerModel::toggleMute() {
  setMuted(!m_muted);
  showToast(m_muted ? tr("Muted") : tr("Sound on"));
}

void PlayerModel::toggleLoop() {
  setLoop(!loop());
  showToast(loop() ? tr("Loops the file") : tr("Loop off"));
}

void PlayerModel::showTime() {
  showToast(timeText(position()) + " / " + timeText(duration()));
}

void PlayerModel::openClipboard() {
  if (const QString text = QGuiApplication::clipboard()->text().trimmed(); !text.isEmpty()) open(text);
}

void PlayerModel::quitAndSave() {
  if (opened()) m_recent.setPosition(uri(), position());
  Q_EMIT quitRequested();
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
  const auto* action = actionFor(key, static_cast<Qt::KeyboardModifiers>(modifiers), text);
  if (action != nullptr) perform(*action);
  return action != nullptr;
}

void PlayerModel::perform(const QString& name) {
  if (const auto* action = actionNamed(name)) perform(*action);
}

void PlayerModel::perform(const Action& action) {
  if (m_player) action.perform(*this);
}

}  // namespace tactus::ui
