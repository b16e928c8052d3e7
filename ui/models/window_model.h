// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <QTimer>
#include <QVariantList>
#include <cstdint>
#include <optional>

#include "media/sharing/load_governor.h"

namespace tactus::ui {

/// A window's claim on the machine, and what the governor does with it, for QML. Looks twice a second; the
/// pill appears and goes after two looks in a row that agree. GUI thread.
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
  /// Of a window that somebody else has put there, and takes away.
  WindowModel(media::LoadGovernor& governor, std::uint64_t window);
  ~WindowModel() override;

  [[nodiscard]] QString priority() const;  ///< "high", "normal" or "background"
  /// The user's choice, which is remembered. It replaces all terms that were set under
  /// "Advanced".
  Q_INVOKABLE void choosePriority(const QString& priority);
  [[nodiscard]] media::WindowTerms terms() const;
  /// Changes what the patch names; what is out of range changes nothing.
  void amend(const media::TermsPatch& patch);
  /// For the dialog "Advanced": priority, class ("", "guaranteed", ...), weight, least, cpus ("0, 1").
  Q_INVOKABLE QVariantMap described() const;
  /// Takes them back; returns what is wrong with them, or nothing. `forAll`: also for later windows of its
  /// kind.
  Q_INVOKABLE QString choose(const QVariantMap& terms, bool forAll);
  /// The name that sentences give it.
  void setName(const QString& name);
  /// "15 of 30 fps", "their network: smaller picture"; empty while every picture is shown in time.
  [[nodiscard]] QString pill() const { return m_pill; }
  /// The same as a sentence, with its cause.
  [[nodiscard]] QString sentence() const { return m_sentence; }
  /// What can be done about what the pill says: maps of `text` and `action`, for remedy().
  [[nodiscard]] QVariantList remedies() const;
  Q_INVOKABLE void remedy(const QString& action);
  [[nodiscard]] std::optional<media::WindowState> state() const { return m_governor.window(m_id); }
  [[nodiscard]] std::uint64_t id() const { return m_id; }
  /// The sentence why there is no room for it; empty when it is admitted.
  [[nodiscard]] QString refusal() const;
  /// Texts of the buttons that make it fit.
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
  /// The stream's sender is to read this sentence.
  void tellRequested(const QString& sentence);

 private:
  void beginToLook();
  void refresh();

  media::LoadGovernor& m_governor;
  std::uint64_t m_id = 0;
  bool m_owned = false;                                  // it is taken away with the model
  media::Priority m_priority = media::Priority::Normal;  // at the last look
  QString m_pill, m_sentence;
  std::optional<media::WindowRefusal> m_refusal;
  bool m_degraded = false, m_shown = false;
  QTimer m_timer;
};

/// The pill's text for a state; empty if nothing is wrong.
[[nodiscard]] QString pillText(const media::WindowState& state);

}  // namespace tactus::ui
