// SPDX-License-Identifier: Apache-2.0
#include "ui/models/call_model.h"

#include <QDateTime>
#include <algorithm>
#include <utility>

#include "ui/models/call_actions.h"
#include "ui/models/text.h"

namespace tactus::ui {
namespace {

using conference::Attendance;
using conference::ParticipantInfo;
using conference::ParticipantSid;
using conference::RoomPhase;
using conference::RoomView;
using conference::TrackInfo;
using conference::TrackKind;
using media::MediaKind;

constexpr int kToastTime = 3000;  // ms

bool publishes(const std::vector<media::OutgoingTrack>& tracks, MediaKind kind) {
  return std::any_of(tracks.begin(), tracks.end(),
                     [&](const media::OutgoingTrack& track) { return track.kind == kind; });
}

MediaKind kindOf(bool cameras) {
  return cameras ? MediaKind::Video : MediaKind::Audio;
}

/// Lines that others have said since `before`.
int newLines(const RoomView& before, const RoomView& now) {
  auto from = now.chat.begin();
  if (!before.chat.empty()) {
    const auto last = std::find(now.chat.rbegin(), now.chat.rend(), before.chat.back());
    from = last.base();
  }
  return static_cast<int>(std::count_if(
      from, now.chat.end(), [&](const conference::ChatLine& line) { return line.from != now.you.sid; }));
}

bool sends(const ParticipantInfo& of, TrackKind kind) {
  return std::any_of(of.tracks.begin(), of.tracks.end(), [&](const TrackInfo& track) {
    return conference::kindOf(track.description.source) == kind && !track.muted;
  });
}

QVariantMap personOf(const RoomView& view, const ParticipantInfo& of) {
  return {{"sid", text(of.sid.text())},
          {"name", text(of.name)},
          {"you", of.sid == view.you.sid},
          {"host", of.role == conference::Role::Host},
          {"hand", of.hand},
          {"audible", sends(of, TrackKind::Audio)},
          {"pictured", sends(of, TrackKind::Video)},
          {"speaking", isSpeaking(view, of.sid)}};
}

}  // namespace

CallModel::CallModel(Options options, periodic::Scheduler& scheduler)
    : m_options(std::move(options)), m_scheduler(scheduler) {
  m_toastTimer.setSingleShot(true);
  connect(&m_toastTimer, &QTimer::timeout, this, [this] { showToast({}); });
  connect(&m_screen, &ScreenChoice::asksChanged, this, &CallModel::youChanged);
  connect(&m_screen, &ScreenChoice::chosen, this, &CallModel::share);
  connect(&m_screen, &ScreenChoice::failed, this, &CallModel::showToast);
}

CallModel::~CallModel() {
  m_attendance.reset();  // it is silent then
}

/// Puts the model behind what hears of the stay already.
void CallModel::listen() {
  auto& attendance = m_options.attendance;
  const auto queued = [this](std::function<void()> change) {
    QMetaObject::invokeMethod(this, std::move(change), Qt::QueuedConnection);
  };
  attendance.changed = [this, before = std::move(attendance.changed)] {
    if (before) before();
    look();
  };
  attendance.over = [this, queued, before = std::move(attendance.over)](const conference::RoomEnd& end) {
    if (before) before(end);
    queued([this, end] {
      m_end = end.sentence;
      Q_EMIT sentenceChanged();
    });
  };
  attendance.note = [this, queued, before = std::move(attendance.note)](const std::string& sentence) {
    if (before) before(sentence);
    queued([this, sentence] { showToast(text(sentence)); });
  };
}

void CallModel::start() {
  if (m_attendance || m_phase == RoomPhase::Ended) return;
  listen();
  m_tracks = m_options.attendance.tracks;
  if (const auto original = m_options.attendance.originalSound) media::setOriginalSound(m_tracks, *original);
  m_originalSound =
      std::any_of(m_tracks.begin(), m_tracks.end(), [](const auto& track) { return track.source.original; });
  m_hasMicrophone = publishes(m_tracks, MediaKind::Audio);
  m_hasCamera = publishes(m_tracks, MediaKind::Video);
  auto started = Attendance::start(m_options.link, std::move(m_options.attendance), m_scheduler);
  if (started.ok()) {
    m_attendance = std::move(started).value();
    m_attendance->setMuted(MediaKind::Audio, m_microphoneMuted);
    m_attendance->setMuted(MediaKind::Video, m_cameraMuted);
    look();
  } else {
    m_phase = RoomPhase::Ended;
    m_end = started.error().message;
    Q_EMIT sentenceChanged();
  }
  Q_EMIT phaseChanged();
}

void CallModel::start(const QString& name, std::vector<media::OutgoingTrack> tracks) {
  m_options.attendance.name = name.toStdString();
  m_options.attendance.tracks = std::move(tracks);
  start();
}

std::optional<conference::AttendanceReport> CallModel::report() {
  return m_attendance ? std::optional(m_attendance->report()) : std::nullopt;
}

bool CallModel::muted(MediaKind kind) const {
  if (m_attendance) return m_attendance->muted(kind);
  return kind == MediaKind::Audio ? m_microphoneMuted : m_cameraMuted;
}

void CallModel::setMuted(MediaKind kind, bool muted) {
  if (m_attendance) return m_attendance->setMuted(kind, muted);
  (kind == MediaKind::Audio ? m_microphoneMuted : m_cameraMuted) = muted;
  Q_EMIT youChanged();
}

/// On any thread: soon, and once for all that happens until then.
void CallModel::look() {
  if (m_lookQueued.exchange(true)) return;
  QMetaObject::invokeMethod(
      this, [this] { refresh(); }, Qt::QueuedConnection);
}

void CallModel::refresh() {
  m_lookQueued.store(false);
  const auto& room = m_attendance->room();
  if (const RoomPhase phase = room.phase(); phase != m_phase) {
    m_phase = phase;
    m_everJoined = m_everJoined || phase == RoomPhase::Joined;
    Q_EMIT phaseChanged();
    Q_EMIT sentenceChanged();
  }
  if (microphoneMuted() != m_microphoneMuted || cameraMuted() != m_cameraMuted) {
    m_microphoneMuted = microphoneMuted();
    m_cameraMuted = cameraMuted();
    Q_EMIT youChanged();
  }
  if (const double loudness = m_attendance->loudness(); loudness != m_loudness) {
    m_loudness = loudness;
    Q_EMIT loudnessChanged();
  }
  if (m_everJoined) takeView(room.view());
  Q_EMIT looked();
}

void CallModel::takeView(RoomView view) {
  if (view == m_view) return;
  const RoomView before = std::exchange(m_view, std::move(view));
  if (m_view.room != before.room) Q_EMIT roomChanged();
  if (m_view.you != before.you) Q_EMIT youChanged();
  if (m_view.others.empty() != before.others.empty()) Q_EMIT sentenceChanged();
  if (m_view.chat != before.chat) {
    // What was said before one came is no news.
    if (!before.you.sid.empty() && m_panel != QLatin1String("chat")) m_unread += newLines(before, m_view);
    Q_EMIT chatChanged();
  }
  Q_EMIT peopleChanged();
  m_tiles = callTilesOf(m_view);
  if (const auto* spotlight = this->spotlight()) m_spotlight = spotlight->key;
  Q_EMIT tilesChanged();
}

const CallTileFacts* CallModel::spotlight() const {
  return spotlightOf(m_tiles, m_view, m_spotlight);
}

QString CallModel::room() const {
  return text(m_view.room.name);
}

QString CallModel::phase() const {
  switch (m_phase) {
    case RoomPhase::Idle:
      return m_attendance ? QStringLiteral("joining") : QStringLiteral("idle");
    case RoomPhase::Joining:
      return QStringLiteral("joining");
    case RoomPhase::Waiting:
      return QStringLiteral("waiting");
    case RoomPhase::Joined:
      return QStringLiteral("joined");
    case RoomPhase::Reconnecting:
      return QStringLiteral("reconnecting");
    case RoomPhase::Ended:
      break;
  }
  return QStringLiteral("ended");
}

QString CallModel::sentence() const {
  if (!m_end.empty()) return text(m_end);
  switch (m_phase) {
    case RoomPhase::Idle:
      return m_attendance ? tr("Joining\u2026") : QString();
    case RoomPhase::Joining:
      return tr("Joining\u2026");
    case RoomPhase::Waiting:
      return tr("A host is asked to let you in.");
    case RoomPhase::Reconnecting:
      return tr("The connection to the host broke; it is made anew.");
    case RoomPhase::Joined:
      return m_view.others.empty() ? tr("Nobody else is here yet.") : QString();
    case RoomPhase::Ended:
      break;
  }
  return tr("The call has ended.");
}

QVariantList CallModel::people() const {
  if (m_view.you.sid.empty()) return {};
  QVariantList people{personOf(m_view, m_view.you)};
  for (const ParticipantInfo& other : m_view.others) people.append(personOf(m_view, other));
  return people;
}

QVariantList CallModel::waiting() const {
  QVariantList waiting;
  for (const auto& each : m_view.waiting)
    waiting.append(QVariantMap{{"sid", text(each.sid.text())}, {"name", text(each.name)}});
  return waiting;
}

QVariantList CallModel::chat() const {
  QVariantList lines;
  for (const auto& line : m_view.chat) {
    const auto at = QDateTime::fromMSecsSinceEpoch(line.at.time_since_epoch().count());
    lines.append(QVariantMap{{"name", text(line.name)},
                             {"text", text(line.text)},
                             {"time", at.toString(QStringLiteral("HH:mm"))},
                             {"own", line.from == m_view.you.sid}});
  }
  return lines;
}

void CallModel::setMicrophoneMuted(bool muted) {
  if (m_hasMicrophone || !m_attendance) setMuted(MediaKind::Audio, muted);
}

void CallModel::setCameraMuted(bool muted) {
  if (m_hasCamera || !m_attendance) setMuted(MediaKind::Video, muted);
}

void CallModel::show(conference::TrackSettings::Shown shown) {
  if (!m_attendance || shown == m_shown) return;
  m_shown = std::move(shown);
  m_attendance->show(m_shown);
}

QStringList CallModel::devices(bool cameras) {
  if (!m_devices) m_devices = std::make_unique<media::CaptureDevices>();
  QStringList labels;
  for (const auto& device : m_devices->list(kindOf(cameras))) labels.append(text(device.label));
  return labels;
}

int CallModel::device(bool cameras) const {
  const auto track = std::find_if(m_tracks.begin(), m_tracks.end(), [&](const media::OutgoingTrack& each) {
    return each.kind == kindOf(cameras);
  });
  if (track == m_tracks.end() || !m_devices) return -1;
  const auto all = m_devices->list(kindOf(cameras));
  const auto used = std::find_if(all.begin(), all.end(), [&](const auto& device) {
    return device.source.kind == track->source.kind && device.source.name == track->source.name;
  });
  return used != all.end() ? static_cast<int>(used - all.begin()) : -1;
}

void CallModel::chooseDevice(bool cameras, int index) {
  const auto all = m_devices ? m_devices->list(kindOf(cameras)) : std::vector<media::CaptureDevice>();
  if (!m_attendance || index < 0 || index >= static_cast<int>(all.size())) return;
  use(cameras, all[static_cast<std::size_t>(index)].source);
}

void CallModel::setOriginalSound(bool original) {
  if (!m_attendance || original == m_originalSound) return;
  m_originalSound = original;
  const auto track = std::find_if(m_tracks.begin(), m_tracks.end(),
                                  [](const auto& each) { return each.kind == MediaKind::Audio; });
  if (track != m_tracks.end()) use(false, track->source);
}

/// Publishes this camera, else this microphone.
void CallModel::use(bool cameras, media::CaptureSource source) {
  source.original = !cameras && m_originalSound;
  std::erase_if(m_tracks, [&](const media::OutgoingTrack& each) { return each.kind == kindOf(cameras); });
  m_tracks.push_back(cameras ? media::OutgoingTrack::camera("camera", source)
                             : media::OutgoingTrack::audio("microphone", source));
  (cameras ? m_hasCamera : m_hasMicrophone) = true;
  m_attendance->publish(conference::StreamName::Camera, m_tracks);
  Q_EMIT phaseChanged();
}

void CallModel::talk(bool held) {
  // A key that is let go ends only what it began.
  if (held == m_talks || (held && !microphoneMuted())) return;
  m_talks = held;
  setMicrophoneMuted(!held);
}

void CallModel::togglePanel(const QString& panel) {
  m_panel = m_panel == panel ? QString() : panel;
  if (m_panel == QLatin1String("chat") && std::exchange(m_unread, 0) != 0) Q_EMIT chatChanged();
  Q_EMIT panelChanged();
}

void CallModel::setSpeakerLarge(bool large) {
  m_speakerLarge = large;
  showToast(large ? tr("Who speaks is large") : tr("All are alike"));
  Q_EMIT layoutChanged();
}

void CallModel::showToast(const QString& text) {
  m_toast = text;
  if (!text.isEmpty()) m_toastTimer.start(kToastTime);
  Q_EMIT toastChanged();
}

void CallModel::perform(const QString& action) {
  if (const auto* found = callActionNamed(action)) found->perform(*this);
}

bool CallModel::handleKey(int key, int modifiers, const QString& typed, bool repeats) {
  const auto* action = callActionFor(key, static_cast<Qt::KeyboardModifiers>(modifiers), typed);
  if (action == nullptr) return false;
  if (!repeats) action->perform(*this);
  return true;
}

bool CallModel::handleRelease(int key, bool repeats) {
  if (key != Qt::Key_Space || !m_talks) return false;
  if (!repeats) talk(false);
  return true;
}

}  // namespace tactus::ui
