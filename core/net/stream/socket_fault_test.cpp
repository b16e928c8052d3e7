// SPDX-License-Identifier: Apache-2.0
#include "core/net/stream/socket_fault.h"

#include <gtest/gtest.h>

#include <cerrno>

namespace tactus::net {
namespace {

TEST(SocketFault, WhatIcmpAndFullBuffersSayIsNotFatal) {
  // What ICMP makes of a socket's error (the kernel's icmp_err_convert), then what a call says of itself.
  for (const int error :
       {ENETUNREACH, EHOSTUNREACH, ENOPROTOOPT, ECONNREFUSED, EMSGSIZE, EOPNOTSUPP, EHOSTDOWN, ENONET, EPROTO,
        EAGAIN, EINTR, ENOBUFS, ENOMEM, EPERM, EACCES, EINVAL, EIO})
    EXPECT_FALSE(isFatal(error)) << error;
}

TEST(SocketFault, WhatIsNoUdpSocketAnyMoreIsFatal) {
  for (const int error : {EBADF, ENOTSOCK, EDESTADDRREQ, EAFNOSUPPORT, EPIPE}) EXPECT_TRUE(isFatal(error));
  EXPECT_EQ(fatalSentence(EBADF), "The stream's UDP socket does not work any more: Bad file descriptor.");
}

}  // namespace
}  // namespace tactus::net
