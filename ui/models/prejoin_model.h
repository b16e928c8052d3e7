// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <QString>
#include <QStringList>
#include <QTimer>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "media/capture/capture_devices.h"
#include "media/capture/device_preview.h"
#include "ui/models/call_memory.h"

namespace tactus::ui {

/// What is chosen before a call: the name, the camera and the microphone, which are tried meanwhile. Devices
/// may come and go. GUI thread.
class PrejoinModel : public QObject {
  Q_OBJECT
  Q_PROPERTY(QString name READ name WRITE setName NOTIFY nameChanged)
  /// Labels of the devices; the last one is none.
  Q_PROPERTY(QStringList cameras READ cameras NOTIFY devicesChanged)
  Q_PROPERTY(QStringList microphones READ microphones NOTIFY devicesChanged)
  Q_PROPERTY(int camera READ camera WRITE setCamera NOTIFY devicesChanged)
  Q_PROPERTY(int microphone READ microphone WRITE setMicrophone NOTIFY devicesChanged)
  /// The microphone's sound is sent as it is: for music.
  Q_PROPERTY(bool originalSound READ originalSound WRITE setOriginalSound NOTIFY originalSoundChanged)
  Q_PROPERTY(bool seen READ seen NOTIFY triedChanged)
  Q_PROPERTY(QString cameraFault READ cameraFault NOTIFY triedChanged)
  Q_PROPERTY(QString microphoneFault READ microphoneFault NOTIFY triedChanged)
  Q_PROPERTY(double loudness READ loudness NOTIFY loudnessChanged)
  Q_PROPERTY(bool ready READ ready NOTIFY nameChanged)

 public:
  /// What the user has said before, which goes before what is remembered.
  struct Given {
    QString name = {};
    /// Each is the first of the devices.
    std::optional<media::CaptureDevice> camera = {}, microphone = {};
    bool noCamera = false, noMicrophone = false;
    std::optional<bool> originalSound = {};
  };
  /// `memory`: of earlier calls; what is chosen is kept there. `target`: where the camera is seen.
  PrejoinModel(CallMemory memory, const Given& given, std::shared_ptr<plugins::VideoTarget> target);
  ~PrejoinModel() override;

  [[nodiscard]] QString name() const { return m_name; }
  void setName(const QString& name);
  [[nodiscard]] QStringList cameras() const { return labelsOf(m_camera, tr("No camera")); }
  [[nodiscard]] QStringList microphones() const { return labelsOf(m_microphone, tr("No microphone")); }
  [[nodiscard]] int camera() const { return indexOf(m_camera); }
  [[nodiscard]] int microphone() const { return indexOf(m_microphone); }
  void setCamera(int index);
  void setMicrophone(int index);
  [[nodiscard]] bool originalSound() const { return m_originalSound; }
  void setOriginalSound(bool original);
  [[nodiscard]] bool seen() const { return m_camera.preview && m_camera.preview->works(); }
  [[nodiscard]] QString cameraFault() const { return m_camera.fault; }
  [[nodiscard]] QString microphoneFault() const { return m_microphone.fault; }
  [[nodiscard]] double loudness() const { return m_loudness; }
  /// There is a name.
  [[nodiscard]] bool ready() const { return !m_name.trimmed().isEmpty(); }
  /// What is published; absent: none.
  [[nodiscard]] std::optional<media::CaptureSource> source(media::MediaKind kind) const;

  /// The devices are free from now on, and what was chosen is kept.
  Q_INVOKABLE void join();

 Q_SIGNALS:
  void nameChanged();
  void devicesChanged();
  void originalSoundChanged();
  void triedChanged();
  void loudnessChanged();
  void joined();

 private:
  struct Kind {
    media::MediaKind kind;
    std::optional<media::CaptureDevice> given = {};
    std::vector<media::CaptureDevice> devices = {};
    std::optional<std::string> chosen = {};  ///< name of the source; empty: none; absent: the default
    std::unique_ptr<media::DevicePreview> preview = {};
    QString fault = {};
  };
  [[nodiscard]] static QStringList labelsOf(const Kind& kind, const QString& none);
  [[nodiscard]] static int indexOf(const Kind& kind);
  void choose(Kind& kind, int index);
  void lookForDevices();
  void follow(Kind& kind);
  void tryDevice(Kind& kind);
  void look();

  CallMemory m_memory;
  const std::shared_ptr<plugins::VideoTarget> m_target;  // shared with the streaming thread
  QString m_name;
  Kind m_camera{media::MediaKind::Video}, m_microphone{media::MediaKind::Audio};
  bool m_originalSound = false;
  double m_loudness = 0;
  bool m_wasSeen = false;
  QTimer m_timer;
  std::unique_ptr<media::CaptureDevices> m_devices;  // null before the first turn of the event loop
};

}  // namespace tactus::ui
