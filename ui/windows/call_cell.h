// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <cstdint>
#include <memory>
#include <optional>

#include "ui/models/call_tiles.h"
#include "ui/models/window_model.h"
#include "ui/video/tile_target.h"

class QQmlContext;
class QQmlEngine;
class QQuickItem;

namespace tactus::ui {

class VideoTile;

/// One place of a call's window: what it shows, for its QML, and the tile with the pictures. GUI thread.
class CallCell : public QObject {
  Q_OBJECT
  Q_PROPERTY(QString name READ name NOTIFY changed)
  Q_PROPERTY(QString initials READ initials NOTIFY changed)
  Q_PROPERTY(bool you READ you CONSTANT)
  Q_PROPERTY(bool screen READ screen CONSTANT)
  Q_PROPERTY(bool pictured READ pictured NOTIFY changed)
  Q_PROPERTY(bool audible READ audible NOTIFY changed)
  Q_PROPERTY(bool hand READ hand NOTIFY changed)
  Q_PROPERTY(bool speaking READ speaking NOTIFY changed)
  Q_PROPERTY(bool lost READ lost NOTIFY changed)
  Q_PROPERTY(bool poor READ poor NOTIFY changed)
  Q_PROPERTY(tactus::ui::WindowModel* window READ window NOTIFY windowChanged)
  Q_PROPERTY(bool pinned READ pinned NOTIFY pinnedChanged)

 public:
  CallCell(CallTileFacts facts, std::shared_ptr<TileTarget> target);
  ~CallCell() override;

  /// Makes its item in this place. The error says what of Qt is missing.
  [[nodiscard]] Result<void> show(QQmlContext& context, QQmlEngine& engine, QQuickItem& place);
  void update(const CallTileFacts& facts);
  [[nodiscard]] const CallTileFacts& facts() const { return m_facts; }
  [[nodiscard]] VideoTile& tile() { return *m_tile; }
  [[nodiscard]] QQuickItem& item() { return *m_item; }

  [[nodiscard]] QString name() const;
  [[nodiscard]] QString initials() const;  ///< where there is no picture: of the first two words of the name
  [[nodiscard]] bool you() const { return m_facts.you; }
  [[nodiscard]] bool screen() const { return m_facts.key.name == conference::StreamName::Screen; }
  [[nodiscard]] bool pictured() const { return m_facts.pictured; }
  [[nodiscard]] bool audible() const { return m_facts.audible; }
  [[nodiscard]] bool hand() const { return m_facts.hand; }
  [[nodiscard]] bool speaking() const { return m_facts.speaking; }
  [[nodiscard]] bool lost() const { return m_facts.quality == conference::ConnectionQuality::Lost; }
  [[nodiscard]] bool poor() const { return m_facts.quality == conference::ConnectionQuality::Poor; }
  [[nodiscard]] bool pinned() const { return m_pinned; }
  void setPinned(bool pinned);
  /// Its claim on the machine, and what it has to give up; null: it has none.
  [[nodiscard]] WindowModel* window() const { return m_claim.get(); }
  void followWindow(media::LoadGovernor* governor, std::optional<std::uint64_t> window);
  Q_INVOKABLE void togglePin() { setPinned(!m_pinned); }

 Q_SIGNALS:
  void changed();
  void pinnedChanged();
  void windowChanged();
  void claimChanged();  ///< what window() says, its priority among it
  /// Its participant is to read this sentence.
  void tellRequested(const QString& sentence);

 private:
  CallTileFacts m_facts;
  bool m_pinned = false;
  std::unique_ptr<WindowModel> m_claim;
  std::unique_ptr<VideoTile> m_tile;
  std::unique_ptr<QQmlContext> m_context;
  std::unique_ptr<QQuickItem> m_item;
};

}  // namespace tactus::ui
