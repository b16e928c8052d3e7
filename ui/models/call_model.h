// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <QString>
#include <QStringList>
#include <QTimer>
#include <QVariantList>
#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include "conference/attendance.h"
#include "media/capture/capture_devices.h"
#include "ui/models/call_tiles.h"
#include "ui/models/screen_choice.h"

namespace tactus::ui {

/// A call for QML: the stay in a room, what can be done in it, and who else is there. GUI thread.
class CallModel : public QObject {
  Q_OBJECT
  Q_PROPERTY(QString room READ room NOTIFY roomChanged)
  /// "idle", "joining", "waiting", "joined", "reconnecting", "ended"
  Q_PROPERTY(QString phase READ phase NOTIFY phaseChanged)
  /// What to read instead of the others' pictures; empty while all is well.
  Q_PROPERTY(QString sentence READ sentence NOTIFY sentenceChanged)
  Q_PROPERTY(QString toast READ toast NOTIFY toastChanged)
  Q_PROPERTY(bool hasMicrophone READ hasMicrophone NOTIFY phaseChanged)
  Q_PROPERTY(bool hasCamera READ hasCamera NOTIFY phaseChanged)
  Q_PROPERTY(bool microphoneMuted READ microphoneMuted NOTIFY youChanged)
  Q_PROPERTY(bool cameraMuted READ cameraMuted NOTIFY youChanged)
  /// The microphone's sound is sent as it is: for music.
  Q_PROPERTY(bool originalSound READ originalSound WRITE setOriginalSound NOTIFY phaseChanged)
  Q_PROPERTY(bool sharing READ sharing NOTIFY youChanged)
  /// The desktop asks which screen is shared.
  Q_PROPERTY(bool asksScreen READ asksScreen NOTIFY youChanged)
  Q_PROPERTY(bool hand READ hand NOTIFY youChanged)
  Q_PROPERTY(bool host READ host NOTIFY youChanged)
  /// Guests wait until a host lets them in.
  Q_PROPERTY(bool lobby READ lobby NOTIFY roomChanged)
  /// Nobody else is let in.
  Q_PROPERTY(bool locked READ locked NOTIFY roomChanged)
  Q_PROPERTY(double loudness READ loudness NOTIFY loudnessChanged)
  /// Maps of sid, name, you, host, hand, audible, pictured, speaking; oneself is the first.
  Q_PROPERTY(QVariantList people READ people NOTIFY peopleChanged)
  /// Maps of sid and name of who is in the lobby; of hosts.
  Q_PROPERTY(QVariantList waiting READ waiting NOTIFY peopleChanged)
  /// Maps of name, text, time ("14:05"), own.
  Q_PROPERTY(QVariantList chat READ chat NOTIFY chatChanged)
  Q_PROPERTY(int unread READ unread NOTIFY chatChanged)
  /// "", "chat" or "people"
  Q_PROPERTY(QString panel READ panel NOTIFY panelChanged)
  Q_PROPERTY(bool speakerLarge READ speakerLarge NOTIFY layoutChanged)

 public:
  /// A film that plays in this program.
  struct Film {
    QString title;
    std::shared_ptr<media::FilmTap> tap;  // shared with its player, and with what is sent of it
  };
  struct Options {
    std::string link;
    std::function<std::vector<Film>()> films = {};  ///< those that could be shared; may be null
    conference::Attendance::Options attendance;     ///< its `changed`, `over` and `note` are called as well
  };
  /// `scheduler` outlives it.
  CallModel(Options options, periodic::Scheduler& scheduler);
  /// Leaves. Blocking, for a moment.
  ~CallModel() override;

  /// Begins to join, once, with what is published. A link that is none ends the call at once.
  void start();
  /// Likewise, as who, and with what.
  void start(const QString& name, std::vector<media::OutgoingTrack> tracks);
  /// What the stay has come to; absent: it has not begun. Waits for the attendance's thread.
  [[nodiscard]] std::optional<conference::AttendanceReport> report();
  [[nodiscard]] const std::vector<CallTileFacts>& tiles() const { return m_tiles; }
  /// As of Attendance.
  [[nodiscard]] std::optional<std::uint64_t> windowOf(const conference::StreamKey& key) const {
    return m_attendance ? m_attendance->windowOf(key) : std::nullopt;
  }
  /// How the pictures of the others are shown; as of Attendance.
  void show(conference::TrackSettings::Shown shown);
  /// The tile that is large where one is to be; null: none.
  [[nodiscard]] const CallTileFacts* spotlight() const;

  [[nodiscard]] QString room() const;
  [[nodiscard]] QString phase() const;
  [[nodiscard]] QString sentence() const;
  [[nodiscard]] QString toast() const { return m_toast; }
  [[nodiscard]] bool hasMicrophone() const { return m_hasMicrophone; }
  [[nodiscard]] bool hasCamera() const { return m_hasCamera; }
  [[nodiscard]] bool microphoneMuted() const { return muted(media::MediaKind::Audio); }
  [[nodiscard]] bool cameraMuted() const { return muted(media::MediaKind::Video); }
  [[nodiscard]] bool originalSound() const { return m_originalSound; }
  /// The screen is shared.
  [[nodiscard]] bool sharing() const;
  [[nodiscard]] bool asksScreen() const { return m_screen.asks(); }
  [[nodiscard]] bool hand() const { return m_view.you.hand; }
  [[nodiscard]] bool host() const { return m_view.you.role == conference::Role::Host; }
  [[nodiscard]] bool lobby() const { return m_view.room.lobby; }
  [[nodiscard]] bool locked() const { return m_view.room.locked; }
  [[nodiscard]] double loudness() const { return m_loudness; }
  [[nodiscard]] QVariantList people() const;
  [[nodiscard]] QVariantList waiting() const;
  [[nodiscard]] QVariantList chat() const;
  [[nodiscard]] int unread() const { return m_unread; }
  [[nodiscard]] QString panel() const { return m_panel; }
  [[nodiscard]] bool speakerLarge() const { return m_speakerLarge; }

  void setMicrophoneMuted(bool muted);
  void setCameraMuted(bool muted);
  void setOriginalSound(bool original);
  /// Shares the screen that was shared last; the desktop asks the user where that is not known.
  void setSharing(bool shares);
  /// The desktop asks.
  void shareAnother();
  /// Titles of the films that play in this program.
  Q_INVOKABLE QStringList films();
  /// The others see and hear one of these, as it is played here.
  Q_INVOKABLE void shareFilm(int index);
  void setHand(bool raised);
  /// The microphone is on as long as a key is held.
  void talk(bool held);
  void togglePanel(const QString& panel);
  void setSpeakerLarge(bool large);
  void showToast(const QString& text);

  /// Of the table of call actions.
  Q_INVOKABLE void perform(const QString& action);
  /// False for a key that means nothing.
  Q_INVOKABLE bool handleKey(int key, int modifiers, const QString& text, bool repeats);
  Q_INVOKABLE bool handleRelease(int key, bool repeats);
  /// Labels of the cameras (else microphones) that there are.
  Q_INVOKABLE QStringList devices(bool cameras);
  /// Index of that in use in devices(); -1: none.
  Q_INVOKABLE int device(bool cameras) const;
  Q_INVOKABLE void chooseDevice(bool cameras, int index);
  Q_INVOKABLE void say(const QString& text);
  Q_INVOKABLE void admit(const QString& sid);
  Q_INVOKABLE void deny(const QString& sid);
  Q_INVOKABLE void muteOther(const QString& sid);
  Q_INVOKABLE void removeOther(const QString& sid);
  // Of hosts.
  Q_INVOKABLE void setLobby(bool on);
  Q_INVOKABLE void setLocked(bool locked);
  /// Asks for an invitation of a guest: Attendance::Options::invited tells it.
  void invite();

 Q_SIGNALS:
  void roomChanged();
  void phaseChanged();
  void sentenceChanged();
  void toastChanged();
  void youChanged();
  void loudnessChanged();
  void peopleChanged();
  void chatChanged();
  void panelChanged();
  void layoutChanged();
  void tilesChanged();
  void looked();  ///< what windowOf() says may be another
  void fullScreenToggled();
  void escaped();
  void helpToggled();
  void filmsRequested();  ///< which film is to be shared is to be chosen
  void loadRequested();
  void invitationToggled();
  void invitationWanted();  ///< into the clipboard
  void newWindowRequested();
  /// Of the place that has the focus: "high", "normal" or "background".
  void priorityRequested(const QString& priority);
  void leaveRequested();

 private:
  [[nodiscard]] bool muted(media::MediaKind kind) const;
  void setMuted(media::MediaKind kind, bool muted);
  void share(const media::CaptureSource& source);
  void use(bool cameras, media::CaptureSource source);
  void listen();
  void look();
  void refresh();
  void takeView(conference::RoomView view);

  Options m_options;  // its attendance until that begins
  periodic::Scheduler& m_scheduler;
  ScreenChoice m_screen;
  std::unique_ptr<conference::Attendance> m_attendance;  // null before
  std::vector<media::OutgoingTrack> m_tracks;            // camera and microphone
  bool m_originalSound = false;
  std::unique_ptr<media::CaptureDevices> m_devices;  // null until it is asked for them
  bool m_hasMicrophone = false, m_hasCamera = false;
  conference::RoomPhase m_phase = conference::RoomPhase::Idle;
  std::string m_end;  // of the stay, a sentence
  conference::RoomView m_view;
  std::vector<Film> m_films;  // as films() told last
  bool m_sharesFilm = false;  // what was shared last is one
  std::vector<CallTileFacts> m_tiles;
  conference::TrackSettings::Shown m_shown;  // as told last
  conference::StreamKey m_spotlight;
  double m_loudness = 0;
  int m_unread = 0;
  bool m_everJoined = false;
  bool m_microphoneMuted = false, m_cameraMuted = false;  // as told last, or as it is to begin
  bool m_talks = false;
  bool m_speakerLarge = false;
  QString m_panel, m_toast;
  QTimer m_toastTimer;
  std::atomic<bool> m_lookQueued{false};
};

}  // namespace tactus::ui
