// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <QTimer>
#include <QVariantList>
#include <cstdint>
#include <optional>

#include "media/sharing/load_governor.h"

namespace tactus::ui {

/// A window's claim on the machine and how it fares among the others, for QML. Looks twice a second; what it
/// shows appears and goes when it has lasted for two looks. GUI thread.
class WindowModel : public QObject {
  Q_OBJECT
  Q_PROPERTY(QString priority READ priority NOTIFY changed)
  Q_PROPERTY(QString pill READ pill NOTIFY changed)
  Q_PROPERTY(QString sentence READ sentence NOTIFY changed)
  Q_PROPERTY(QVariantList remedies READ remedies NOTIFY changed)
  Q_PROPERTY(QString refusal READ refusal NOTIFY changed)
  Q_PROPERTY(QVariantList offers READ offers NOTIFY changed)

 public:
  /// Puts `stream` under the governor's care until the model goes; both must outlive it. Terms out of range
  /// count as none.
  WindowModel(media::LoadGovernor& governor, media::GovernedStream& stream, media::WindowTerms terms,
              media::LoadGovernor::Entry entry = media::LoadGovernor::Entry::Admitted);
  ~WindowModel() override;

  [[nodiscard]] QString priority() const;  ///< "high", "normal" or "background"
  /// By the user's own word, which is remembered. What was said under "Advanced" before no
  /// longer holds.
  void choosePriority(const QString& priority);
  [[nodiscard]] const media::WindowTerms& terms() const { return m_terms; }
  /// All but the name, which stays.
  void setTerms(media::WindowTerms terms);
  /// For the dialog "Advanced": priority, class ("", "guaranteed", ...), weight, least, cpus ("0, 1").
  Q_INVOKABLE QVariantMap described() const;
  /// The same back; returns why not, or nothing. `forAll`: also for windows of this kind that come later.
  Q_INVOKABLE QString choose(const QVariantMap& terms, bool forAll);
  /// What the others are told of it.
  void setName(const QString& name);
  /// "15 of 30 fps"; empty while every picture is shown in time.
  [[nodiscard]] QString pill() const { return m_pill; }
  /// The same with its cause, whole.
  [[nodiscard]] QString sentence() const { return m_sentence; }
  /// What can be done about it: maps of `text` and `action`, for remedy().
  [[nodiscard]] QVariantList remedies() const;
  Q_INVOKABLE void remedy(const QString& action);
  [[nodiscard]] std::optional<media::WindowState> state() const { return m_governor.window(m_id); }
  [[nodiscard]] std::uint64_t id() const { return m_id; }
  /// Why there is no room for it, whole; empty when it is admitted.
  [[nodiscard]] QString refusal() const;
  /// Texts of the buttons for what would fit.
  [[nodiscard]] QVariantList offers() const;
  Q_INVOKABLE void accept(int offer);
  Q_INVOKABLE void admitAnyway();
  Q_INVOKABLE void giveUp() { Q_EMIT closeRequested(); }

 Q_SIGNALS:
  void changed();
  void termsChosen(bool forAll);
  void closeRequested();
  void halfSizeRequested();
  void closeOtherRequested(quint64 window);

 private:
  void refresh();

  media::LoadGovernor& m_governor;
  media::WindowTerms m_terms;
  std::uint64_t m_id = 0;
  QString m_pill, m_sentence;
  std::optional<media::WindowRefusal> m_refusal;
  bool m_degraded = false, m_shown = false;
  QTimer m_timer;
};

/// The pill's text for a state; empty if nothing is wrong.
[[nodiscard]] QString pillText(const media::WindowState& state);

}  // namespace tactus::ui
