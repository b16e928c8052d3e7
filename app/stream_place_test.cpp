// SPDX-License-Identifier: Apache-2.0
#include "app/stream_place.h"

#include <gtest/gtest.h>

namespace tactus::app {
namespace {

using net::StreamAddress;
using net::TransportKind;

const std::string kFolder = "/run/user/1000";

StreamPlace placed(std::string_view text) {
  auto place = StreamPlace::parse(text, kFolder);
  EXPECT_TRUE(place.ok()) << (place.ok() ? "" : place.error().message);
  return place.ok() ? std::move(place).value() : StreamPlace{};
}

std::string faultOf(std::string_view text, const std::string& folder = kFolder) {
  const auto place = StreamPlace::parse(text, folder);
  return place.ok() ? "" : place.error().message;
}

TEST(StreamPlace, IsAtAHostOverUdpOrTcp) {
  const StreamPlace udp = placed("udp://192.168.1.5:7000/film");
  EXPECT_EQ(udp.transport, TransportKind::Udp);
  EXPECT_EQ(udp.address, (StreamAddress{StreamAddress::Tcp{"192.168.1.5", 7000}, "film"}));
  EXPECT_EQ(udp.token, "");
  const StreamPlace tcp = placed("tcp://[::1]:80/a?token=x_1");
  EXPECT_EQ(tcp.transport, TransportKind::Tcp);
  EXPECT_EQ(tcp.address, (StreamAddress{StreamAddress::Tcp{"::1", 80}, "a"}));
  EXPECT_EQ(tcp.token, "x_1");
}

TEST(StreamPlace, IsAProgramOfThisUser) {
  const StreamPlace place = placed("local:mic?token=t");
  EXPECT_EQ(place.transport, TransportKind::Local);
  EXPECT_EQ(place.address, (StreamAddress{StreamAddress::Unix{"/run/user/1000/tactus-mic"}, "mic"}));
  EXPECT_EQ(place.token, "t");
}

TEST(StreamPlace, HasANameWhereNoneIsGiven) {
  EXPECT_EQ(placed("udp://host:7000").address.name, "stream");
  EXPECT_EQ(placed("udp://host:7000/").address.name, "stream");
  EXPECT_EQ(placed("tcp://host:7000?token=a").address.name, "stream");
}

TEST(StreamPlace, IsWrittenAsItIsRead) {
  for (const std::string text :
       {"udp://192.168.1.5:7000/film", "tcp://[::1]:80/a?token=x_1", "local:mic", "local:mic?token=t-2."})
    EXPECT_EQ(placed(text).text(), text);
  EXPECT_EQ(placed("tcp://host:1").text(), "tcp://host:1/stream");
  EXPECT_EQ(placed("tcp://[::1]:80/a?token=x_1").shown(), "tcp://[::1]:80/a");
  EXPECT_EQ(placed("local:mic?token=t").shown(), "local:mic");
}

TEST(StreamPlace, IsRefusedWithASentence) {
  const std::string start = "A stream goes to udp://HOST:PORT/NAME, tcp://HOST:PORT/NAME or local:NAME; '";
  EXPECT_EQ(faultOf("film.mp4"), start + "film.mp4' is none of these.");
  EXPECT_EQ(faultOf(""), start + "' is none of these.");
  EXPECT_EQ(faultOf("local://x"),
            start + "local://x' has no name of 1 to 64 letters, digits, '.', '_' and '-'.");
  EXPECT_EQ(faultOf("http://host:80/x"), start + "http://host:80/x' is none of these.");
  EXPECT_EQ(faultOf("local:a/b"),
            start + "local:a/b' has no name of 1 to 64 letters, digits, '.', '_' and '-'.");
  EXPECT_EQ(faultOf("local:a?key=1"),
            start + "local:a?key=1' has something other than token=TOKEN after the '?'.");
  EXPECT_EQ(faultOf("local:a?token="),
            start + "local:a?token=' has something other than token=TOKEN after the '?'.");
  EXPECT_EQ(faultOf("local:a?token=%20"),
            start + "local:a?token=%20' has no token of at most 128 letters, digits, '.', '_' and '-'.");
  EXPECT_NE(faultOf("udp://host/film").find("has no port number"), std::string::npos);
  EXPECT_NE(faultOf("udp://:7000/film").find("has no host"), std::string::npos);
  const std::string deep(120, 'f');
  EXPECT_NE(faultOf("local:a", "/" + deep).find("whose path is too long"), std::string::npos);
}

}  // namespace
}  // namespace tactus::app
