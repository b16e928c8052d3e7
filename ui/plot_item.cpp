// SPDX-License-Identifier: Apache-2.0
#include "ui/plot_item.h"

#include <QPainter>
#include <QPolygonF>
#include <algorithm>
#include <cmath>

namespace tactus::ui {

PlotItem::PlotItem(QQuickItem* parent) : QQuickPaintedItem(parent) {
  setOpaquePainting(true);
  connect(this, &PlotItem::changed, this, [this] { update(); });
}

void PlotItem::paint(QPainter* painter) {
  double low = m_least;
  double high = m_most;
  for (const auto& each : m_series) {
    for (const auto& value : each.toMap()["values"].toList()) {
      if (std::isnan(value.toDouble())) continue;
      low = std::min(low, value.toDouble());
      high = std::max(high, value.toDouble());
    }
  }
  if (high <= low) high = low + 1;
  const QRectF all = boundingRect();
  const QRectF field = all.adjusted(46, 22, -8, -6);
  painter->fillRect(all, QColor("#1c1c20"));
  QFont font = painter->font();
  font.setPixelSize(11);
  painter->setFont(font);
  painter->setPen(QColor("#c8c8ce"));
  painter->drawText(all.adjusted(8, 3, -8, 0), Qt::AlignLeft | Qt::AlignTop, m_title);
  painter->setPen(QColor("#8a8a92"));
  const auto y = [&](double value) { return field.bottom() - (value - low) / (high - low) * field.height(); };
  for (const double mark : {low, (low + high) / 2, high}) {
    painter->setPen(QColor("#34343b"));
    painter->drawLine(QPointF(field.left(), y(mark)), QPointF(field.right(), y(mark)));
    painter->setPen(QColor("#8a8a92"));
    painter->drawText(QRectF(0, y(mark) - 8, field.left() - 4, 16), Qt::AlignRight | Qt::AlignVCenter,
                      QString::number(mark, 'g', 3) + m_unit);
  }
  painter->setRenderHint(QPainter::Antialiasing);
  for (const auto& each : m_series) {
    const auto values = each.toMap()["values"].toList();
    painter->setPen(QPen(QColor(each.toMap()["colour"].toString()), 1.5));
    QPolygonF line;
    for (qsizetype i = 0; i < values.size(); ++i) {
      const double value = values[i].toDouble();
      if (std::isnan(value)) {
        painter->drawPolyline(line);
        line.clear();
        continue;
      }
      const double age = static_cast<double>(values.size() - 1 - i) / (kSeconds - 1);
      line << QPointF(field.right() - age * field.width(), y(value));
    }
    painter->drawPolyline(line);
  }
}

}  // namespace tactus::ui
