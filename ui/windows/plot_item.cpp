// SPDX-License-Identifier: Apache-2.0
#include "ui/windows/plot_item.h"

#include <QPainter>
#include <QPolygonF>
#include <algorithm>
#include <cmath>

#include "ui/models/plot_axis.h"

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
  const PlotAxis axis = plotAxis(std::max(low, m_deepest), high);
  const auto label = [&](double mark) { return QString::number(mark, 'f', axis.step < 1 ? 1 : 0) + m_unit; };
  QFont font = painter->font();
  font.setPixelSize(11);
  painter->setFont(font);
  int widest = 26;
  for (int i = 0; i <= axis.steps; ++i)
    widest = std::max(widest, painter->fontMetrics().horizontalAdvance(label(axis.mark(i))));
  const QRectF all = boundingRect();
  const QRectF field = all.adjusted(widest + 12, 26, -8, -10);
  painter->fillRect(all, QColor("#1c1c20"));
  painter->setPen(QColor("#c8c8ce"));
  painter->drawText(all.adjusted(8, 3, -8, 0), Qt::AlignLeft | Qt::AlignTop, m_title);
  const auto y = [&](double value) { return field.bottom() - axis.place(value) * field.height(); };
  for (int i = 0; i <= axis.steps; ++i) {
    const double mark = axis.mark(i);
    painter->setPen(QColor(mark == 0 && i > 0 ? "#8a8a92" : "#34343b"));
    painter->drawLine(QPointF(field.left(), y(mark)), QPointF(field.right(), y(mark)));
    painter->setPen(QColor("#8a8a92"));
    painter->drawText(QRectF(0, y(mark) - 8, field.left() - 4, 16), Qt::AlignRight | Qt::AlignVCenter,
                      label(mark));
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
      const double age = static_cast<double>(values.size() - 1 - i) / (kPlotSeconds - 1);
      line << QPointF(field.right() - age * field.width(), y(value));
    }
    painter->drawPolyline(line);
  }
}

}  // namespace tactus::ui
