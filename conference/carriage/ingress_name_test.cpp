// SPDX-License-Identifier: Apache-2.0
#include "conference/carriage/ingress_name.h"

#include <gtest/gtest.h>

namespace tactus::conference {
namespace {

TEST(IngressName, IsThatOfTheQueryElseTheBearerElseStream) {
  EXPECT_EQ(ingressName("name=Concert", "Ann"), "Concert");
  EXPECT_EQ(ingressName("a=1&name=Hall+2%20%C3%A4&b", ""), "Hall 2 \u00e4");
  EXPECT_EQ(ingressName("", "Ann"), "Ann");
  EXPECT_EQ(ingressName("name=", "Ann"), "Ann");
  EXPECT_EQ(ingressName("named=Concert", ""), "Stream");
  EXPECT_EQ(ingressName("", ""), "Stream");
}

TEST(IngressName, WhatIsNoNameIsPassedOver) {
  EXPECT_EQ(ingressName("name=%FF", "Ann"), "Ann");
  EXPECT_EQ(ingressName("name=%00", "Ann"), "Ann");
  EXPECT_EQ(ingressName("name=%zz", "Ann"), "Ann");
  EXPECT_EQ(ingressName("name=" + std::string(129, 'x'), "Ann"), "Ann");
  EXPECT_EQ(ingressName("", "\xff\xfe"), "Stream");
  EXPECT_EQ(ingressName("", "\xe2\x80\xae \x07"), "Stream");
  EXPECT_EQ(ingressName("", " Ann\n  Lee "), "Ann Lee");
}

TEST(IngressName, ASecretIsNeverShown) {
  EXPECT_EQ(ingressName("", "dGhlIHNhbXBsZSBub25jZQ"), "Stream");
  EXPECT_EQ(ingressName("name=dGhlIHNhbXBsZSBub25jZQ", ""), "Stream");
}

}  // namespace
}  // namespace tactus::conference
