// SPDX-License-Identifier: Apache-2.0
#include "core/net/descriptor.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <utility>

namespace tactus::net {
namespace {

bool isOpen(int descriptor) {
  return fcntl(descriptor, F_GETFD) >= 0;
}

int anyDescriptor() {
  return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

TEST(Descriptor, ClosesItselfOnce) {
  int descriptor = -1;
  {
    const Descriptor owner(anyDescriptor());
    ASSERT_TRUE(owner);
    descriptor = owner.get();
    EXPECT_TRUE(isOpen(descriptor));
  }
  EXPECT_FALSE(isOpen(descriptor));
  EXPECT_FALSE(Descriptor());
  EXPECT_EQ(Descriptor().get(), -1);
}

TEST(Descriptor, IsClosedByItsLastOwner) {
  Descriptor first(anyDescriptor());
  const int descriptor = first.get();
  Descriptor second(std::move(first));
  EXPECT_EQ(second.get(), descriptor);
  Descriptor third(anyDescriptor());
  const int replaced = third.get();
  third = std::move(second);
  EXPECT_EQ(third.get(), descriptor);
  EXPECT_FALSE(isOpen(replaced));
  third = Descriptor();
  EXPECT_FALSE(isOpen(descriptor));
}

}  // namespace
}  // namespace tactus::net
