// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QQuickPaintedItem>
#include <QString>
#include <QVariantList>
#include <limits>

namespace tactus::ui {

/// Lines over the last minute, one a film. `series` are maps of `name`, `colour` and `values` (a number a
/// second, the newest last; NaN = nothing known). Drawn anew only when they change. GUI thread.
class PlotItem : public QQuickPaintedItem {
  Q_OBJECT
  Q_PROPERTY(QVariantList series MEMBER m_series NOTIFY changed)
  Q_PROPERTY(QString title MEMBER m_title NOTIFY changed)
  Q_PROPERTY(QString unit MEMBER m_unit NOTIFY changed)
  /// The axis reaches at least from `least` to `most`, and further where values do.
  Q_PROPERTY(double least MEMBER m_least NOTIFY changed)
  Q_PROPERTY(double most MEMBER m_most NOTIFY changed)
  /// What lies below is drawn at the lower edge: one film that stood still would flatten all the others.
  Q_PROPERTY(double deepest MEMBER m_deepest NOTIFY changed)

 public:
  explicit PlotItem(QQuickItem* parent = nullptr);
  void paint(QPainter* painter) override;

 Q_SIGNALS:
  void changed();

 private:
  QVariantList m_series;
  QString m_title, m_unit;
  double m_least = 0, m_most = 1, m_deepest = std::numeric_limits<double>::lowest();
};

}  // namespace tactus::ui
