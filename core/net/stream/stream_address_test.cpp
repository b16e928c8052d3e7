// SPDX-License-Identifier: Apache-2.0
#include "core/net/stream/stream_address.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace tactus::net {
namespace {

using Tcp = StreamAddress::Tcp;
using Unix = StreamAddress::Unix;

TEST(StreamAddress, NamesAPortAtAHost) {
  EXPECT_EQ(StreamAddress::parse("tcp://studio.local:7000/cam-1").value(),
            (StreamAddress{Tcp{"studio.local", 7000}, "cam-1"}));
  EXPECT_EQ(StreamAddress::parse("tcp://10.0.0.2:1/a").value(), (StreamAddress{Tcp{"10.0.0.2", 1}, "a"}));
  EXPECT_EQ(StreamAddress::parse("tcp://[fe80::1]:65535/A.b_c").value(),
            (StreamAddress{Tcp{"fe80::1", 65535}, "A.b_c"}));
}

TEST(StreamAddress, NamesAPortAtASocketOfThisHost) {
  EXPECT_EQ(StreamAddress::parse("unix:/run/user/1000/tactus#mic").value(),
            (StreamAddress{Unix{"/run/user/1000/tactus"}, "mic"}));
  EXPECT_EQ(StreamAddress::parse("unix:/tmp/a #1 %20#mic").value(),
            (StreamAddress{Unix{"/tmp/a #1 %20"}, "mic"}));
}

TEST(StreamAddress, RefusesWhatIsNoneWithASentence) {
  const std::string deep = "unix:/" + std::string(107, 'a') + "#mic";
  const std::string longName = "tcp://a:1/" + std::string(65, 'a');
  for (const std::string& text : {std::string(),
                                  std::string("mic"),
                                  std::string("http://a:1/mic"),
                                  std::string("tcp://a:1"),
                                  std::string("tcp://a/mic"),
                                  std::string("tcp://:1/mic"),
                                  std::string("tcp://a:0/mic"),
                                  std::string("tcp://a:65536/mic"),
                                  std::string("tcp://a:01/mic"),
                                  std::string("tcp://a:/mic"),
                                  std::string("tcp://a:1/"),
                                  std::string("tcp://a:1/b/c"),
                                  std::string("tcp://a b:1/mic"),
                                  std::string("tcp://::1:7/mic"),
                                  std::string("tcp://[::1:7/mic"),
                                  std::string("tcp://[a]:7/mic"),
                                  std::string("tcp://[]:7/mic"),
                                  std::string("tcp://[::1\0]:7/mic", 16),
                                  std::string("tcp://a:-1/mic"),
                                  std::string("unix:/#mic"),
                                  std::string("unix:/tmp/#mic"),
                                  std::string("unix:tmp/a#mic"),
                                  std::string("unix:/tmp/a"),
                                  std::string("unix:/tmp/a#"),
                                  std::string("unix:/t\n#mic"),
                                  deep,
                                  longName}) {
    const auto address = StreamAddress::parse(text);
    ASSERT_FALSE(address.ok()) << text;
    EXPECT_EQ(address.error().code, ErrorCode::InvalidArgument);
    EXPECT_NE(address.error().message.find("tcp://HOST:PORT/NAME"), std::string::npos);
  }
}

TEST(StreamAddress, IsWrittenAsItIsRead) {
  for (const char* text :
       {"tcp://studio.local:7000/cam-1", "tcp://[fe80::1]:65535/A.b_c", "unix:/tmp/a #1 %20#mic"})
    EXPECT_EQ(StreamAddress::parse(text).value().format().value(), text);
}

TEST(StreamAddress, IsNotWrittenIfItCannotBeRead) {
  EXPECT_FALSE((StreamAddress{Tcp{"a/b", 1}, "mic"}.format().ok()));
  EXPECT_FALSE((StreamAddress{Tcp{"a", 0}, "mic"}.format().ok()));
  EXPECT_FALSE((StreamAddress{Tcp{"[::1]", 7}, "mic"}.format().ok()));
  EXPECT_FALSE((StreamAddress{Unix{"/tmp/a"}, "b#mic"}.format().ok()));
  EXPECT_FALSE((StreamAddress{Unix{"tmp"}, "mic"}.format().ok()));
  EXPECT_FALSE((StreamAddress{Tcp{"a", 1}, ""}.format().ok()));
}

RC_GTEST_PROP(StreamAddressProperty, WhatIsReadIsWrittenAndReadTheSame, ()) {
  std::string text =
      *rc::gen::element<std::string>("tcp://a:1/b", "tcp://[::1]:7/b", "unix:/a#b", "tcp://", "unix:");
  const int changes = *rc::gen::inRange(0, 6);
  for (int i = 0; i < changes; ++i) {
    const auto at = *rc::gen::inRange<std::size_t>(0, text.size() + 1);
    const char c =
        *rc::gen::element('/', '#', ':', '[', ']', '0', '9', 'a', '.', '%', ' ', '\0', '\n', '\xC3');
    const int how = *rc::gen::inRange(0, 3);
    if (how == 0) text.insert(at, 1, c);
    if (how == 1 && at < text.size()) text.erase(at, 1);
    if (how == 2 && at < text.size()) text[at] = c;
  }
  const auto address = StreamAddress::parse(text);
  if (!address) return;
  const auto written = address.value().format();
  RC_ASSERT(written.ok());
  RC_ASSERT(StreamAddress::parse(written.value()).value() == address.value());
}

}  // namespace
}  // namespace tactus::net
