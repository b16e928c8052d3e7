// SPDX-License-Identifier: Apache-2.0
#include "tests/lab/svg_plot.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tactus::lab {
namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

Figure figure(Panel::Kind kind) {
  Panel panel;
  panel.title = "Seen";
  panel.xLabel = "hogs";
  panel.yLabel = "pictures seen, %";
  panel.kind = kind;
  panel.categories = {"0", "16"};
  panel.series = {{"one", {100, 99}}, {"two", {100, std::nan("")}}};
  return {"Title", "a < b & c", {panel}};
}

TEST(SvgPlot, MarksStandAtOneTwoOrFive) {
  EXPECT_DOUBLE_EQ(niceStep(100, 5), 20);
  EXPECT_DOUBLE_EQ(niceStep(33, 5), 10);
  EXPECT_DOUBLE_EQ(niceStep(0.9, 5), 0.2);
  EXPECT_DOUBLE_EQ(niceStep(24, 5), 5);
}

TEST(SvgPlot, EachValueIsOnePointAndNothingIsNone) {
  const std::string svg = toSvg(figure(Panel::Kind::Lines));
  EXPECT_EQ(count(svg, "<circle"), 3U);
  EXPECT_EQ(count(svg, "<polyline"), 2U);
}

TEST(SvgPlot, EachValueIsOneBar) {
  const std::string svg = toSvg(figure(Panel::Kind::Bars));
  EXPECT_EQ(count(svg, "<rect"), 1U + 2U + 3U);  // background, legend, bars
}

TEST(SvgPlot, AxesAndLegendAreNamedAndTextIsEscaped) {
  const std::string svg = toSvg(figure(Panel::Kind::Lines));
  for (const char* word : {"pictures seen, %", ">hogs<", ">one<", ">two<", ">16<", "a &lt; b &amp; c"}) {
    EXPECT_NE(svg.find(word), std::string::npos) << word;
  }
}

TEST(SvgPlot, AFigureWithoutPanelsIsStillADocument) {
  EXPECT_EQ(count(toSvg({"Empty", "", {}}), "</svg>"), 1U);
}

}  // namespace
}  // namespace tactus::lab
