// SPDX-License-Identifier: Apache-2.0
#include "ui/models/window_model.h"

#include <utility>

#include "ui/models/text.h"

namespace tactus::ui {
namespace {

using Place = media::SourceLimit::Place;
using Shown = media::SourceLimit::Shown;

QString inWords(Place place) {
  switch (place) {
    case Place::OwnLine:
      return WindowModel::tr("your network");
    case Place::TheirLine:
      return WindowModel::tr("their network");
    case Place::TheirComputer:
      return WindowModel::tr("their computer");
    case Place::TheirProgram:
      return WindowModel::tr("their program");
    case Place::None:
      break;
  }
  return {};
}

QString inWords(Shown shown) {
  switch (shown) {
    case Shown::SmallerPicture:
      return WindowModel::tr("smaller picture");
    case Shown::FewerPictures:
      return WindowModel::tr("fewer pictures");
    case Shown::NoPicture:
      return WindowModel::tr("no picture");
    case Shown::Whole:
      break;
  }
  return WindowModel::tr("every picture");
}

}  // namespace

QString pillText(const media::WindowState& state) {
  if (state.thinning.lastRung) return text(nameOf(state.lastRung));
  if (state.thinning.frequency < 1) {
    if (state.nominalRate <= 0)
      return WindowModel::tr("%1 % of the pictures").arg(qRound(state.thinning.frequency * 100));
    const int shown = qRound(state.nominalRate * state.thinning.frequency);
    const int all = qRound(state.nominalRate);
    if (shown < all) return WindowModel::tr("%1 of %2 fps").arg(shown).arg(all);
  }
  if (state.thinning.size < 1)
    return WindowModel::tr("%1 % of the size").arg(qRound(state.thinning.size * 100));
  if (state.thinning.smaller) return WindowModel::tr("smaller picture");
  if (state.limit.place != Place::None)
    return WindowModel::tr("%1: %2").arg(inWords(state.limit.place), inWords(state.limit.shown));
  return state.violating ? WindowModel::tr("pictures are late") : QString();
}

WindowModel::WindowModel(media::LoadGovernor& governor, media::GovernedStream& stream,
                         media::WindowTerms terms, media::LoadGovernor::Entry entry)
    : m_governor(governor) {
  if (!media::validate(terms).ok()) terms = {};
  m_priority = terms.priority;
  m_id = m_governor.add(stream, std::move(terms), entry).value();
  m_owned = true;
  beginToLook();
}

WindowModel::WindowModel(media::LoadGovernor& governor, std::uint64_t window)
    : m_governor(governor), m_id(window) {
  m_priority = terms().priority;
  beginToLook();
}

WindowModel::~WindowModel() {
  if (m_owned) m_governor.remove(m_id);
}

void WindowModel::beginToLook() {
  m_timer.setInterval(500);
  connect(&m_timer, &QTimer::timeout, this, [this] { refresh(); });
  m_timer.start();
}

media::WindowTerms WindowModel::terms() const {
  const auto now = state();
  return now ? now->terms : media::WindowTerms{};
}

QString WindowModel::priority() const {
  return text(nameOf(terms().priority));
}

void WindowModel::choosePriority(const QString& priority) {
  const auto wanted = media::priorityOf(priority.toStdString());
  if (!wanted) return;
  amend(media::TermsPatch::ofPriority(*wanted));
  Q_EMIT termsChosen(false);
}

void WindowModel::amend(const media::TermsPatch& patch) {
  if (m_governor.amend(m_id, patch).ok()) Q_EMIT changed();
}

QVariantMap WindowModel::described() const {
  const media::WindowTerms terms = this->terms();
  QStringList cpus;
  for (const int cpu : terms.cpus) cpus.append(QString::number(cpu));
  return {{"priority", priority()},
          {"class", terms.service ? text(nameOf(*terms.service)) : QString()},
          {"weight", terms.numbers().weight},
          {"least", terms.numbers().leastFrequency},
          {"cpus", cpus.join(QStringLiteral(", "))}};
}

QString WindowModel::choose(const QVariantMap& wanted, bool forAll) {
  media::WindowTerms terms{.priority = this->terms().priority};
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
  amend(media::TermsPatch::allButName(terms));
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
    amend(offer.kind == Kind::Background ? media::TermsPatch::ofPriority(media::Priority::Background)
                                         : media::TermsPatch{.leastFrequency = offer.leastFrequency});
  }
  refresh();
}

void WindowModel::admitAnyway() {
  m_governor.admitAnyway(m_id);
  refresh();
}

void WindowModel::setName(const QString& name) {
  (void)m_governor.amend(m_id, {.name = name.toStdString()});
}

void WindowModel::refresh() {
  const auto now = state();
  if (!now) return;
  // Another window's remedy may have changed them.
  const bool sameRefusal = now->refusal.has_value() == m_refusal.has_value() &&
                           (!m_refusal || (m_refusal->sentence == now->refusal->sentence &&
                                           m_refusal->offers.size() == now->refusal->offers.size()));
  const bool changedByOthers = now->terms.priority != m_priority || !sameRefusal;
  m_refusal = now->refusal;
  m_priority = now->terms.priority;
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
  const media::Priority priority = terms().priority;
  const auto now = state();
  // What is the sender's fault no share of this machine, or of its line, helps against.
  const bool theirs = now && isLimitedAlone(*now) && isTheirs(now->limit);
  if (theirs) offer(tr("Tell them in the chat"), "tell");
  if (!theirs && priority != media::Priority::High) offer(tr("Raise to High"), "high");
  bool others = false;
  for (const auto& each : m_governor.windows())
    others = others || (each.id != m_id && each.terms.priority != media::Priority::Background);
  if (!theirs && others) offer(tr("Others to Background"), "others");
  if (priority != media::Priority::Background) offer(tr("Lower to Background"), "background");
  if (m_owned) offer(tr("Close this window"), "close");
  return list;
}

void WindowModel::remedy(const QString& action) {
  if (action == "close") {
    Q_EMIT closeRequested();
  } else if (action == "tell") {
    const auto now = state();
    const QString sentence = now ? text(sentenceToSender(now->limit)) : QString();
    if (!sentence.isEmpty()) Q_EMIT tellRequested(sentence);
  } else if (action == "others") {
    for (const auto& each : m_governor.windows())
      if (each.id != m_id && each.terms.priority != media::Priority::Background)
        (void)m_governor.amend(each.id, {.priority = media::Priority::Background});  // may be closed by now
    Q_EMIT changed();
  } else {
    choosePriority(action);
  }
}

}  // namespace tactus::ui
