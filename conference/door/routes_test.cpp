// SPDX-License-Identifier: Apache-2.0
#include "conference/door/routes.h"

#include <gtest/gtest.h>

namespace tactus::conference {
namespace {

TEST(Routes, AreFoundByMethodAndPath) {
  Routes routes;
  const RouteHandler none = [](const DoorRequest&, const Reply&) {};
  routes.add("GET", "page/*", none)
      .add("POST", "whip", none)
      .add("DELETE", "whip", none)
      .add("GET", "", none);
  EXPECT_EQ(routes.find("GET", "page/style.css").rest, "style.css");
  EXPECT_NE(routes.find("GET", "page/").handler, nullptr);
  EXPECT_NE(routes.find("HEAD", "page/a").handler, nullptr);
  EXPECT_NE(routes.find("GET", "").handler, nullptr);
  EXPECT_EQ(routes.find("GET", "pages").allowed, "");
  EXPECT_EQ(routes.find("GET", "whip").handler, nullptr);
  EXPECT_EQ(routes.find("GET", "whip").allowed, "POST, DELETE");
  EXPECT_EQ(routes.find("POST", "whip/").allowed, "");
}

}  // namespace
}  // namespace tactus::conference
