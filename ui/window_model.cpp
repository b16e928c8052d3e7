// SPDX-License-Identifier: Apache-2.0
#include "ui/window_model.h"

namespace tactus::ui {

QString pillText(const media::WindowState& state) {
  if (state.thinning.keyframesOnly) return WindowModel::tr("keyframes only");
  if (state.thinning.frequency < 1) {
    if (state.nominalRate <= 0)
      return WindowModel::tr("%1 % of the pictures").arg(qRound(state.thinning.frequency * 100));
    return WindowModel::tr("%1 of %2 fps")
        .arg(qRound(state.nominalRate * state.thinning.frequency))
        .arg(qRound(state.nominalRate));
  }
  return state.violating ? WindowModel::tr("pictures are late") : QString();
}

WindowModel::WindowModel(media::LoadGovernor& governor, media::GovernedStream& stream,
                         media::WindowTerms terms)
    : m_governor(governor) {
  if (media::validate(terms).ok()) m_terms = std::move(terms);
  m_id = m_governor.add(stream, m_terms).value();
  m_timer.setInterval(500);
  connect(&m_timer, &QTimer::timeout, this, [this] { refresh(); });
  m_timer.start();
}

WindowModel::~WindowModel() {
  m_governor.remove(m_id);
}

QString WindowModel::priority() const {
  return QString::fromUtf8(nameOf(m_terms.priority).data());
}

void WindowModel::setPriority(const QString& priority) {
  const auto wanted = media::priorityOf(priority.toStdString());
  if (!wanted || *wanted == m_terms.priority) return;
  m_terms.priority = *wanted;
  (void)m_governor.setTerms(m_id, m_terms);  // cannot fail: they are valid and the window is there
  Q_EMIT changed();
}

void WindowModel::setName(const QString& name) {
  if (name.toStdString() == m_terms.name) return;
  m_terms.name = name.toStdString();
  (void)m_governor.setTerms(m_id, m_terms);
}

void WindowModel::refresh() {
  const auto now = state();
  if (!now) return;
  // Another window's remedy may have changed them.
  const bool changedByOthers = now->terms.priority != m_terms.priority;
  m_terms = now->terms;
  const QString pill = pillText(*now);
  const bool degraded = !pill.isEmpty();
  const bool lasted = degraded == std::exchange(m_degraded, degraded);
  if (lasted) m_shown = degraded;
  const QString shown = m_shown ? (degraded ? pill : m_pill) : QString();
  const QString sentence =
      m_shown ? (degraded ? QString::fromStdString(now->sentence) : m_sentence) : QString();
  if (shown == m_pill && sentence == m_sentence && !changedByOthers) return;
  m_pill = shown;
  m_sentence = sentence;
  Q_EMIT changed();
}

QVariantList WindowModel::remedies() const {
  QVariantList list;
  const auto offer = [&](const QString& text, const char* action) {
    list.append(QVariantMap{{"text", text}, {"action", QString::fromLatin1(action)}});
  };
  if (m_terms.priority != media::Priority::High) offer(tr("Raise to High"), "high");
  bool others = false;
  for (const auto& each : m_governor.windows())
    others = others || (each.id != m_id && each.terms.priority != media::Priority::Background);
  if (others) offer(tr("Others to Background"), "others");
  if (m_terms.priority != media::Priority::Background) offer(tr("Lower to Background"), "background");
  offer(tr("Close this window"), "close");
  return list;
}

void WindowModel::remedy(const QString& action) {
  if (action == "close") {
    Q_EMIT closeRequested();
  } else if (action == "others") {
    for (auto& each : m_governor.windows()) {
      if (each.id == m_id || each.terms.priority == media::Priority::Background) continue;
      each.terms.priority = media::Priority::Background;
      (void)m_governor.setTerms(each.id, each.terms);  // it may have been closed meanwhile
    }
    Q_EMIT changed();
  } else {
    setPriority(action);
  }
}

}  // namespace tactus::ui
