// SPDX-License-Identifier: Apache-2.0
#include "ui/models/plot_axis.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace tactus::ui {
namespace {

TEST(PlotAxis, MarksAreRoundAndReachBeyondWhatIsSeen) {
  struct Case {
    double low, high;
    std::vector<double> marks;
  };
  for (const Case& each :
       {Case{0, 30, {0, 10, 20, 30}}, Case{0, 54.3, {0, 20, 40, 60}}, Case{-100, 33.3, {-100, -50, 0, 50}},
        Case{0, 1, {0, 0.5, 1}}, Case{-3, 299, {-200, 0, 200, 400}}}) {
    const PlotAxis axis = plotAxis(each.low, each.high);
    std::vector<double> marks;
    for (int i = 0; i <= axis.steps; ++i) marks.push_back(axis.mark(i));
    EXPECT_EQ(marks, each.marks) << each.low << " to " << each.high;
  }
}

TEST(PlotAxis, NothingLiesOutsideAndNothingAtAllIsAnAxisToo) {
  const PlotAxis axis = plotAxis(-100, 30);
  EXPECT_EQ(axis.place(-1200), 0);
  EXPECT_DOUBLE_EQ(axis.place(0), 100.0 / 150);
  EXPECT_EQ(axis.place(80), 1);
  const double none = std::numeric_limits<double>::infinity();
  for (const PlotAxis& empty : {plotAxis(5, 5), plotAxis(none, -none), plotAxis(3, 1)}) {
    EXPECT_GT(empty.high(), empty.low);
    EXPECT_TRUE(std::isfinite(empty.place(5)));
  }
}

}  // namespace
}  // namespace tactus::ui
