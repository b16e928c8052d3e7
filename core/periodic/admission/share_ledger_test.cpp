// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/admission/share_ledger.h"

#include <gtest/gtest.h>

namespace tactus::periodic {
namespace {

using Names = std::vector<std::string>;

TEST(ShareLedger, SumsWhatIsHeld) {
  ShareLedger ledger;
  EXPECT_TRUE(ledger.empty());
  const ShareId film = ledger.add({"Film", 3});
  const ShareId camera = ledger.add({"Camera", 2});
  EXPECT_EQ(ledger.sum(), 5);
  EXPECT_EQ(ledger.sum(film), 2);
  ledger.change(camera, {"Camera", 7});
  EXPECT_EQ(ledger.find(camera)->amount, 7);
  ledger.remove(film);
  EXPECT_EQ(ledger.find(film), nullptr);
  EXPECT_EQ(ledger.sum(), 7);
}

TEST(ShareLedger, NamesTheTwoSmallestStreamsThatWouldMakeRoom) {
  ShareLedger ledger;
  for (const auto& [name, amount] : {std::pair{"A", 1.0}, {"B", 3.0}, {"B", 3.0}, {"C", 5.0}, {"D", 9.0}})
    (void)ledger.add({name, amount});
  EXPECT_EQ(ledger.closing({"E", 20}, 4), (Names{"C", "B"})) << "a stream's shares count together";
  EXPECT_EQ(ledger.closing({"C", 20}, 4), (Names{"B", "D"})) << "not the one that claims";
  EXPECT_EQ(ledger.closing({"E", 20}, 10), Names{});
}

TEST(ShareLedger, SaysItInWords) {
  EXPECT_EQ(closingInWords({}), "");
  EXPECT_EQ(closingInWords({"Film"}), " Closing Film would make room.");
  EXPECT_EQ(closingInWords({"Film", "Camera"}), " Closing Film or Camera would make room.");
}

}  // namespace
}  // namespace tactus::periodic
