// SPDX-License-Identifier: Apache-2.0
#include "ui/models/window_model.h"

#include <utility>

#include "ui/models/text.h"

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
  if (state.thinning.size < 1)
    return WindowModel::tr("%1 % of the size").arg(qRound(state.thinning.size * 100));
  return state.violating ? WindowModel::tr("pictures are late") : QString();
}

WindowModel::WindowModel(media::LoadGovernor& governor, media::GovernedStream& stream,
                         media::WindowTerms terms, media::LoadGovernor::Entry entry)
    : m_governor(governor) {
  if (media::validate(terms).ok()) m_terms = std::move(terms);
  m_id = m_governor.add(stream, m_terms, entry).value();
  m_timer.setInterval(500);
  connect(&m_timer, &QTimer::timeout, this, [this] { refresh(); });
  m_timer.start();
}

WindowModel::~WindowModel() {
  m_governor.remove(m_id);
}

QString WindowModel::priority() const {
  return text(nameOf(m_terms.priority));
}

void WindowModel::choosePriority(const QString& priority) {
  const auto wanted = media::priorityOf(priority.toStdString());
  if (!wanted) return;
  setTerms({.priority = *wanted});
  Q_EMIT termsChosen(false);
}

void WindowModel::setTerms(media::WindowTerms terms) {
  terms.name = m_terms.name;
  if (!m_governor.setTerms(m_id, terms).ok()) return;
  m_terms = std::move(terms);
  Q_EMIT changed();
}

QVariantMap WindowModel::described() const {
  QStringList cpus;
  for (const int cpu : m_terms.cpus) cpus.append(QString::number(cpu));
  return {{"priority", priority()},
          {"class", m_terms.service ? text(nameOf(*m_terms.service)) : QString()},
          {"weight", m_terms.numbers().weight},
          {"least", m_terms.numbers().leastFrequency},
          {"cpus", cpus.join(QStringLiteral(", "))}};
}

QString WindowModel::choose(const QVariantMap& wanted, bool forAll) {
  media::WindowTerms terms{.name = m_terms.name, .priority = m_terms.priority};
  if (const auto priority = media::priorityOf(wanted["priority"].toString().toStdString()))
    terms.priority = *priority;
  using periodic::ServiceClass;
  for (const auto each : {ServiceClass::Guaranteed, ServiceClass::Statistical, ServiceClass::BestEffort})
    if (wanted["class"].toString() == text(nameOf(each))) terms.service = each;
  // A value that the priority implies is left open: another priority later implies another.
  bool number = true;
  const double least = wanted["least"].toDouble(&number);
  if (!number) return tr("f_min is a share of the pictures, from 0 to 1.");
  if (qAbs(least - terms.numbers().leastFrequency) > 1e-6) terms.leastFrequency = least;
  const double weight = wanted["weight"].toDouble(&number);
  if (!number) return tr("A weight is a number above 0.");
  if (qAbs(weight - terms.numbers().weight) > 1e-6) terms.weight = weight;
  for (const auto& part : wanted["cpus"].toString().split(',', Qt::SkipEmptyParts)) {
    const int cpu = part.trimmed().toInt(&number);
    if (!number) return tr("'%1' is no number of a processor.").arg(part.trimmed());
    terms.cpus.push_back(cpu);
  }
  if (const auto valid = media::validate(terms); !valid.ok())
    return QString::fromStdString(valid.error().message);
  setTerms(std::move(terms));
  Q_EMIT termsChosen(forAll);
  return {};
}

QString WindowModel::refusal() const {
  return m_refusal ? QString::fromStdString(m_refusal->sentence) : QString();
}

QVariantList WindowModel::offers() const {
  QVariantList list;
  if (!m_refusal) return list;
  for (const auto& offer : m_refusal->offers) list.append(QString::fromStdString(offer.text));
  return list;
}

void WindowModel::accept(int index) {
  if (!m_refusal || index < 0 || index >= static_cast<int>(m_refusal->offers.size())) return;
  const auto offer = m_refusal->offers[static_cast<std::size_t>(index)];
  using Kind = media::WindowOffer::Kind;
  if (offer.kind == Kind::Close) {
    Q_EMIT closeOtherRequested(offer.other);
  } else if (offer.kind == Kind::Smaller) {
    // The governor would still judge it by the cost of its larger pictures.
    Q_EMIT halfSizeRequested();
    m_governor.admitAnyway(m_id);
  } else {
    media::WindowTerms terms = m_terms;
    if (offer.kind == Kind::Background) terms = {.priority = media::Priority::Background};
    if (offer.kind == Kind::Fewer) terms.leastFrequency = offer.leastFrequency;
    setTerms(std::move(terms));
  }
  refresh();
}

void WindowModel::admitAnyway() {
  m_governor.admitAnyway(m_id);
  refresh();
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
  const bool sameRefusal = now->refusal.has_value() == m_refusal.has_value() &&
                           (!m_refusal || (m_refusal->sentence == now->refusal->sentence &&
                                           m_refusal->offers.size() == now->refusal->offers.size()));
  const bool changedByOthers = now->terms.priority != m_terms.priority || !sameRefusal;
  m_refusal = now->refusal;
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
    choosePriority(action);
  }
}

}  // namespace tactus::ui
