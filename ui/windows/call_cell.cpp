// SPDX-License-Identifier: Apache-2.0
#include "ui/windows/call_cell.h"

#include <QQmlComponent>
#include <QQmlContext>
#include <QQmlEngine>
#include <QQuickItem>
#include <QStringList>
#include <utility>

#include "ui/models/text.h"
#include "ui/video/video_tile.h"

namespace tactus::ui {

CallCell::CallCell(CallTileFacts facts, std::shared_ptr<TileTarget> target)
    : m_facts(std::move(facts)), m_tile(std::make_unique<VideoTile>(std::move(target))) {
  QQmlEngine::setObjectOwnership(m_tile.get(), QQmlEngine::CppOwnership);
}

CallCell::~CallCell() {
  // The QML goes first: it is bound to what the cell has.
  m_tile->setParentItem(nullptr);
  m_item.reset();
}

Result<void> CallCell::show(QQmlContext& context, QQmlEngine& engine, QQuickItem& place) {
  m_context = std::make_unique<QQmlContext>(&context);
  m_context->setContextProperty("cell", this);
  m_context->setContextProperty("videoTile", m_tile.get());
  m_context->setContextProperty("window", nullptr);
  QQmlComponent component(&engine, QUrl(QStringLiteral("qrc:/tactus/qml/CallTile.qml")));
  m_item.reset(qobject_cast<QQuickItem*>(component.create(m_context.get())));
  if (!m_item) return Error{ErrorCode::Unsupported, component.errorString().toStdString()};
  QQmlEngine::setObjectOwnership(m_item.get(), QQmlEngine::CppOwnership);
  m_item->setParentItem(&place);
  return {};
}

void CallCell::update(const CallTileFacts& facts) {
  if (facts == m_facts) return;
  m_facts = facts;
  Q_EMIT changed();
}

QString CallCell::name() const {
  return text(m_facts.name);
}

QString CallCell::initials() const {
  QString initials;
  const QStringList words = name().split(' ', Qt::SkipEmptyParts);
  for (const QString& word : words.first(std::min<qsizetype>(words.size(), 2))) {
    const bool pair = word.front().isHighSurrogate() && word.size() > 1;
    initials += word.first(pair ? 2 : 1).toUpper();
  }
  return initials;
}

void CallCell::followWindow(media::LoadGovernor* governor, std::optional<std::uint64_t> window) {
  if (governor == nullptr || (m_claim ? std::optional(m_claim->id()) : std::nullopt) == window) return;
  auto before = std::exchange(m_claim, window ? std::make_unique<WindowModel>(*governor, *window) : nullptr);
  if (m_claim) {
    connect(m_claim.get(), &WindowModel::changed, this, &CallCell::claimChanged);
    connect(m_claim.get(), &WindowModel::tellRequested, this, &CallCell::tellRequested);
  }
  m_context->setContextProperty("window", m_claim.get());
  Q_EMIT windowChanged();  // `before` ends with nobody bound to it
}

void CallCell::setPinned(bool pinned) {
  if (std::exchange(m_pinned, pinned) != pinned) Q_EMIT pinnedChanged();
}

}  // namespace tactus::ui
