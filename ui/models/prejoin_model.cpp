// SPDX-License-Identifier: Apache-2.0
#include "ui/models/prejoin_model.h"

#include <algorithm>
#include <utility>

#include "ui/models/text.h"

namespace tactus::ui {
namespace {

constexpr int kLook = 100;  // ms: the meter follows the voice

}  // namespace

PrejoinModel::PrejoinModel(CallMemory memory, const Given& given,
                           std::shared_ptr<plugins::VideoTarget> target)
    : m_memory(std::move(memory)), m_target(std::move(target)) {
  const CallChoice choice = m_memory.recall();
  m_name = given.name.isEmpty() ? choice.name : given.name;
  m_originalSound = given.originalSound.value_or(choice.originalSound);
  m_camera.given = given.camera;
  m_microphone.given = given.microphone;
  if (!given.camera) m_camera.chosen = choice.camera;
  if (!given.microphone) m_microphone.chosen = choice.microphone;
  if (given.noCamera) m_camera.chosen = "";
  if (given.noMicrophone) m_microphone.chosen = "";
  connect(&m_timer, &QTimer::timeout, this, &PrejoinModel::look);
  // The window is there before the daemons have answered.
  QTimer::singleShot(0, this, [this] {
    m_devices = std::make_unique<media::CaptureDevices>([this] {
      QMetaObject::invokeMethod(
          this, [this] { lookForDevices(); }, Qt::QueuedConnection);
    });
    lookForDevices();
    m_timer.start(kLook);
  });
}

PrejoinModel::~PrejoinModel() {
  m_devices.reset();  // it is silent then
}

void PrejoinModel::setName(const QString& name) {
  if (std::exchange(m_name, name) != name) Q_EMIT nameChanged();
}

QStringList PrejoinModel::labelsOf(const Kind& kind, const QString& none) {
  QStringList labels;
  for (const auto& device : kind.devices) labels.append(text(device.label));
  labels.append(none);
  return labels;
}

/// A device that was chosen and is away counts as the default one.
int PrejoinModel::indexOf(const Kind& kind) {
  const int none = static_cast<int>(kind.devices.size());
  if (!kind.chosen) return 0;
  if (kind.chosen->empty()) return none;
  const auto found = std::find_if(kind.devices.begin(), kind.devices.end(),
                                  [&](const auto& device) { return device.source.name == *kind.chosen; });
  return found != kind.devices.end() ? static_cast<int>(found - kind.devices.begin()) : 0;
}

void PrejoinModel::setCamera(int index) {
  choose(m_camera, index);
}

void PrejoinModel::setMicrophone(int index) {
  choose(m_microphone, index);
}

void PrejoinModel::setOriginalSound(bool original) {
  if (std::exchange(m_originalSound, original) != original) Q_EMIT originalSoundChanged();
}

void PrejoinModel::choose(Kind& kind, int index) {
  if (index == indexOf(kind)) return;
  const bool none = index < 0 || index >= static_cast<int>(kind.devices.size());
  kind.chosen = none ? std::string() : kind.devices[static_cast<std::size_t>(index)].source.name;
  tryDevice(kind);
  Q_EMIT devicesChanged();
}

std::optional<media::CaptureSource> PrejoinModel::source(media::MediaKind of) const {
  const Kind& kind = of == media::MediaKind::Video ? m_camera : m_microphone;
  const auto index = static_cast<std::size_t>(indexOf(kind));
  if (index >= kind.devices.size()) return std::nullopt;
  media::CaptureSource source = kind.devices[index].source;
  source.original = of == media::MediaKind::Audio && m_originalSound;
  return source;
}

void PrejoinModel::lookForDevices() {
  follow(m_camera);
  follow(m_microphone);
}

void PrejoinModel::follow(Kind& kind) {
  const auto before = source(kind.kind);
  auto devices = m_devices->list(kind.kind);
  if (kind.given) devices.insert(devices.begin(), *kind.given);
  if (devices == kind.devices && kind.preview) return;
  kind.devices = std::move(devices);
  const auto now = source(kind.kind);
  if (!kind.preview || !before || !now || now->name != before->name) tryDevice(kind);
  Q_EMIT devicesChanged();
}

void PrejoinModel::tryDevice(Kind& kind) {
  kind.preview.reset();  // a device is open once
  kind.fault.clear();
  if (kind.kind == media::MediaKind::Video) m_target->clear();
  if (const auto wanted = source(kind.kind)) {
    auto made = media::DevicePreview::create(kind.kind, *wanted,
                                             kind.kind == media::MediaKind::Video ? m_target : nullptr);
    if (made.ok()) {
      kind.preview = std::move(made).value();
    } else {
      kind.fault = text(made.error().message);
    }
  }
  Q_EMIT triedChanged();
}

void PrejoinModel::look() {
  bool changed = std::exchange(m_wasSeen, seen()) != seen();
  for (Kind* kind : {&m_camera, &m_microphone}) {
    if (!kind->preview || !kind->fault.isEmpty()) continue;
    kind->fault = text(kind->preview->fault());
    changed = changed || !kind->fault.isEmpty();
  }
  if (changed) Q_EMIT triedChanged();
  const double loudness = m_microphone.preview ? m_microphone.preview->loudness() : 0;
  if (std::exchange(m_loudness, loudness) != loudness) Q_EMIT loudnessChanged();
}

void PrejoinModel::join() {
  if (!ready()) return;
  m_timer.stop();
  m_devices.reset();
  m_camera.preview.reset();
  m_microphone.preview.reset();
  m_memory.keep({m_name.trimmed(), m_camera.chosen, m_microphone.chosen, m_originalSound});
  Q_EMIT joined();
}

}  // namespace tactus::ui
