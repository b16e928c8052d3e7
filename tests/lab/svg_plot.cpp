// SPDX-License-Identifier: Apache-2.0
#include "tests/lab/svg_plot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace tactus::lab {
namespace {

// Okabe and Ito's colours: told apart by the colour-blind too.
constexpr std::array kColours{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#555555"};
constexpr double kPanelWidth = 470;
constexpr double kPanelHeight = 320;
constexpr double kLeft = 64;  // of the axes within the panel
constexpr double kRight = 16;
constexpr double kTop = 40;
constexpr double kBottom = 52;
constexpr double kHead = 92;  // title, note and legend
constexpr int kMarks = 5;

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

std::string at(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

std::string escaped(const std::string& text) {
  std::string out;
  for (const char letter : text) {
    switch (letter) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += letter;
    }
  }
  return out;
}

std::string words(double x, double y, const std::string& content, const std::string& attributes) {
  return "<text x=\"" + at(x) + "\" y=\"" + at(y) + "\" " + attributes + ">" + escaped(content) + "</text>\n";
}

std::string line(double x1, double y1, double x2, double y2, const std::string& attributes) {
  return "<line x1=\"" + at(x1) + "\" y1=\"" + at(y1) + "\" x2=\"" + at(x2) + "\" y2=\"" + at(y2) + "\" " +
         attributes + "/>\n";
}

std::string colour(std::size_t series) {
  return kColours[series % kColours.size()];
}

/// Where values lie in one panel.
class Axes {
 public:
  Axes(const Panel& panel, double x, double y) : m_panel(panel), m_x(x), m_y(y) {
    double highest = panel.limit ? panel.limit->value * 1.1 : 0;
    for (const auto& series : panel.series) {
      for (const double value : series.values)
        highest = std::isfinite(value) ? std::max(highest, value) : highest;
    }
    m_top = panel.top.value_or(highest > 0 ? highest : 1);
    m_step = niceStep(m_top - panel.low, kMarks);
    for (const auto& series : panel.series) m_longest = std::max(m_longest, series.values.size());
    if (!panel.top) m_top = std::ceil(m_top / m_step - 1e-9) * m_step;
  }

  [[nodiscard]] double left() const { return m_x + kLeft; }
  [[nodiscard]] double right() const { return m_x + kPanelWidth - kRight; }
  [[nodiscard]] double bottom() const { return m_y + kPanelHeight - kBottom; }
  [[nodiscard]] double top() const { return m_y + kTop; }
  [[nodiscard]] double slot() const {
    return (right() - left()) / static_cast<double>(std::max<std::size_t>(m_panel.categories.size(), 1));
  }
  [[nodiscard]] double x(std::size_t category) const {
    return left() + (static_cast<double>(category) + 0.5) * slot();
  }
  [[nodiscard]] double y(double value) const {
    return bottom() -
           std::clamp((value - m_panel.low) / (m_top - m_panel.low), 0.0, 1.0) * (bottom() - top());
  }
  /// Of the value's place in its series.
  [[nodiscard]] double xOfDot(std::size_t index) const {
    return left() + (static_cast<double>(index) + 0.5) / static_cast<double>(m_longest) * (right() - left());
  }

  [[nodiscard]] std::string frame() const {
    std::string svg = words(m_x + kLeft, m_y + 22, m_panel.title, "class=\"panel\"");
    const double first = std::ceil(m_panel.low / m_step - 1e-9) * m_step + 0.0;  // no -0
    for (double mark = first; mark <= m_top + m_step * 1e-6; mark += m_step) {
      svg += line(left(), y(mark), right(), y(mark), "class=\"grid\"");
      svg += words(left() - 8, y(mark) + 4, number(mark), "text-anchor=\"end\"");
    }
    for (std::size_t i = 0; i < m_panel.categories.size(); ++i) {
      svg += words(x(i), bottom() + 18, m_panel.categories[i], "text-anchor=\"middle\"");
    }
    if (m_panel.kind == Panel::Kind::Dots) {
      const double step = std::max(1.0, niceStep(static_cast<double>(m_longest), kMarks));
      for (double mark = 0; mark < static_cast<double>(m_longest); mark += step)
        svg += words(xOfDot(static_cast<std::size_t>(mark)), bottom() + 18, number(mark),
                     "text-anchor=\"middle\"");
    }
    svg += line(left(), bottom(), right(), bottom(), "class=\"axis\"");
    svg += line(left(), top(), left(), bottom(), "class=\"axis\"");
    svg += words((left() + right()) / 2, bottom() + 38, m_panel.xLabel,
                 "text-anchor=\"middle\" class=\"label\"");
    const double middle = (top() + bottom()) / 2;
    svg += words(m_x + 16, middle, m_panel.yLabel,
                 "text-anchor=\"middle\" class=\"label\" transform=\"rotate(-90 " + at(m_x + 16) + " " +
                     at(middle) + ")\"");
    if (m_panel.limit) {
      svg += line(left(), y(m_panel.limit->value), right(), y(m_panel.limit->value), "class=\"limit\"");
      // Under the line where dots lie above it.
      const double beside = m_panel.kind == Panel::Kind::Dots ? 14 : -5;
      svg += words(right(), y(m_panel.limit->value) + beside, m_panel.limit->name,
                   "text-anchor=\"end\" class=\"promise\"");
    }
    return svg;
  }

 private:
  const Panel& m_panel;
  double m_x;
  double m_y;
  double m_top = 1;
  double m_step = 1;
  std::size_t m_longest = 1;
};

std::string lines(const Panel& panel, const Axes& axes) {
  std::string svg;
  for (std::size_t s = 0; s < panel.series.size(); ++s) {
    std::string points;
    std::string marks;
    for (std::size_t i = 0; i < panel.series[s].values.size(); ++i) {
      const double value = panel.series[s].values[i];
      if (!std::isfinite(value)) continue;
      points += at(axes.x(i)) + "," + at(axes.y(value)) + " ";
      marks += "<circle cx=\"" + at(axes.x(i)) + "\" cy=\"" + at(axes.y(value)) + "\" r=\"3.5\" fill=\"" +
               colour(s) + "\"><title>" + escaped(panel.series[s].name) + ": " + number(value) +
               "</title></circle>\n";
    }
    svg += "<polyline points=\"" + points + "\" fill=\"none\" stroke=\"" + colour(s) +
           "\" stroke-width=\"2\" stroke-linejoin=\"round\"/>\n" + marks;
  }
  return svg;
}

std::string dots(const Panel& panel, const Axes& axes) {
  std::string svg;
  for (std::size_t s = 0; s < panel.series.size(); ++s) {
    std::string path;
    for (std::size_t i = 0; i < panel.series[s].values.size(); ++i) {
      const double value = panel.series[s].values[i];
      if (!std::isfinite(value)) continue;
      path += "M" + at(axes.xOfDot(i)) + " " + at(axes.y(value)) + "h0";
    }
    svg += "<path d=\"" + path + "\" stroke=\"" + colour(s) +
           "\" stroke-width=\"3\" stroke-linecap=\"round\" stroke-opacity=\"0.7\"/>\n";
  }
  return svg;
}

std::string bars(const Panel& panel, const Axes& axes) {
  std::string svg;
  const double width =
      std::min(axes.slot() * 0.8 / static_cast<double>(std::max<std::size_t>(panel.series.size(), 1)), 56.0);
  for (std::size_t s = 0; s < panel.series.size(); ++s) {
    for (std::size_t i = 0; i < panel.series[s].values.size(); ++i) {
      const double value = panel.series[s].values[i];
      if (!std::isfinite(value)) continue;
      const double x =
          axes.x(i) + (static_cast<double>(s) - static_cast<double>(panel.series.size()) / 2) * width;
      svg += "<rect x=\"" + at(x + 1) + "\" y=\"" + at(axes.y(value)) + "\" width=\"" + at(width - 2) +
             "\" height=\"" + at(axes.bottom() - axes.y(value)) + "\" fill=\"" + colour(s) + "\"/>\n";
      char text[32];
      std::snprintf(text, sizeof text, "%.3g", value);
      svg += words(x + width / 2, axes.y(value) - 4, text, "text-anchor=\"middle\" class=\"value\"");
    }
  }
  return svg;
}

std::string legend(const Figure& figure) {
  std::string svg;
  double x = kLeft;
  if (figure.panels.empty()) return svg;
  for (std::size_t s = 0; s < figure.panels.front().series.size(); ++s) {
    const std::string& name = figure.panels.front().series[s].name;
    svg += "<rect x=\"" + at(x) + "\" y=\"" + at(kHead - 26) + "\" width=\"14\" height=\"10\" fill=\"" +
           colour(s) + "\"/>\n";
    svg += words(x + 20, kHead - 17, name, "");
    x += 44 + 6.6 * static_cast<double>(name.size());
  }
  return svg;
}

}  // namespace

double niceStep(double top, int marks) {
  const double raw = top / std::max(marks, 1);
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (raw <= factor * power * (1 + 1e-9)) return factor * power;
  }
  return 10 * power;
}

std::string toSvg(const Figure& figure) {
  const std::size_t rows = (figure.panels.size() + 1) / 2;
  const double width = kPanelWidth * (figure.panels.size() > 1 ? 2 : 1.4);
  const double height = kHead + kPanelHeight * static_cast<double>(rows);
  std::string svg =
      "<!-- SPDX-License-Identifier: Apache-2.0 -->\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" +
      at(width) + "\" height=\"" + at(height) + "\" viewBox=\"0 0 " + at(width) + " " + at(height) +
      "\">\n<style>text{font:12px 'DejaVu Sans',sans-serif;fill:#333}.title{font-size:18px;font-weight:"
      "bold;fill:#111}.panel{font-size:14px;font-weight:bold}.label{fill:#555}.value{font-size:10px}"
      ".promise{fill:#a00;font-size:11px}.grid{stroke:#e3e3e3}.axis{stroke:#777}"
      ".limit{stroke:#a00;stroke-dasharray:6 4}</style>\n<rect width=\"100%\" height=\"100%\" "
      "fill=\"white\"/>\n";
  svg += words(kLeft, 30, figure.title, "class=\"title\"") + words(kLeft, 50, figure.note, "class=\"label\"");
  svg += legend(figure);
  for (std::size_t i = 0; i < figure.panels.size(); ++i) {
    const Panel& panel = figure.panels[i];
    const std::size_t row = i / 2;
    const Axes axes(panel, kPanelWidth * static_cast<double>(i % 2),
                    kHead + kPanelHeight * static_cast<double>(row));
    svg += axes.frame();
    switch (panel.kind) {
      case Panel::Kind::Lines:
        svg += lines(panel, axes);
        break;
      case Panel::Kind::Bars:
        svg += bars(panel, axes);
        break;
      case Panel::Kind::Dots:
        svg += dots(panel, axes);
        break;
    }
  }
  return svg + "</svg>\n";
}

}  // namespace tactus::lab
