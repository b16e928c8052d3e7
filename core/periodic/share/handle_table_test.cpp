// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/share/handle_table.h"

#include <gtest/gtest.h>

#include <set>

namespace tactus::periodic {
namespace {

enum class Ticket : std::uint32_t { None = 0 };
struct Seat {
  Ticket ticket = Ticket::None;
};

TEST(HandleTable, FindsAnObjectUntilItIsRemovedAndNoneElse) {
  HandleTable<Seat, Ticket> table;
  const auto add = [&table] {
    return table.add([](Ticket ticket) { return std::make_unique<Seat>(Seat{ticket}); });
  };
  EXPECT_EQ(table.at(Ticket::None), nullptr);
  Seat* first = add();
  Seat* second = add();
  EXPECT_NE(first->ticket, Ticket::None);
  EXPECT_EQ(table.at(first->ticket), first);
  EXPECT_EQ(table.at(second->ticket), second);
  const Ticket gone = first->ticket;
  table.remove(gone);
  EXPECT_EQ(table.at(gone), nullptr);
  Seat* third = add();
  EXPECT_EQ(table.slots(), 2u);  // in the first one's place
  EXPECT_NE(third->ticket, gone);
  EXPECT_EQ(table.at(gone), nullptr);
  std::set<Ticket> seen;
  table.forEach([&seen](const Seat& each) { seen.insert(each.ticket); });
  EXPECT_EQ(seen, (std::set<Ticket>{second->ticket, third->ticket}));
}

TEST(HandleTable, GivesNoHandleTwice) {
  HandleTable<Seat, Ticket> table;
  std::set<Ticket> given;
  for (int i = 0; i < 10'000; ++i) {
    const Ticket ticket = table.add([](Ticket each) { return std::make_unique<Seat>(Seat{each}); })->ticket;
    EXPECT_TRUE(given.insert(ticket).second);
    table.remove(ticket);
  }
  EXPECT_EQ(table.slots(), 3u);  // 4095 each
}

}  // namespace
}  // namespace tactus::periodic
