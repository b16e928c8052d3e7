// SPDX-License-Identifier: Apache-2.0
#include "app/network_report.h"

#include <gtest/gtest.h>

#include <QJsonArray>
#include <chrono>

namespace tactus::app {
namespace {

using namespace std::chrono_literals;

media::NetworkLoad oneStream() {
  media::StreamLoad stream{.name = "Film", .place = "udp://host:7000/film"};
  stream.port.state = net::StreamState::Live;
  stream.port.buffers = 50;
  stream.port.bytes = 1'500'000;
  stream.port.contract = {.largestBuffer = 10'000, .rate = periodic::Rate::perSecond(50)};
  stream.port.figures.late = 3;
  stream.port.figures.lost = 2;
  stream.port.figures.network = 4;
  stream.port.figures.delay = 12ms;
  stream.port.fault = net::StreamFault::Network;
  return {.streams = {stream}};
}

TEST(NetworkReport, TellsProgramsOfEachStream) {
  const QJsonObject told = networkJson(oneStream());
  EXPECT_FALSE(told.contains("link"));
  const QJsonObject stream = told.value("streams").toArray().at(0).toObject();
  EXPECT_EQ(stream.value("name"), "Film");
  EXPECT_EQ(stream.value("place"), "udp://host:7000/film");
  EXPECT_EQ(stream.value("type"), "write");
  EXPECT_EQ(stream.value("state"), "live");
  EXPECT_EQ(stream.value("bytes"), 1'500'000);
  EXPECT_EQ(stream.value("late"), 3);
  EXPECT_EQ(stream.value("misses").toObject().value("network"), 4);
  EXPECT_EQ(stream.value("delay_ms"), 12);
  EXPECT_EQ(stream.value("fault"), "network");
  EXPECT_EQ(stream.value("contract").toObject().value("buffers_per_s"), 50);
  EXPECT_EQ(stream.value("contract").toObject().value("jitter_ms"), 20);
}

TEST(NetworkReport, TellsProgramsOfTheLink) {
  media::NetworkLoad load = oneStream();
  load.link = {.rate = net::BitRate::perSecond(20'000'000), .promised = 4e6, .flows = {{}}};
  load.link->flows[0].spec = {.name = "film-1", .linkClass = net::LinkClass::Stream};
  load.link->flows[0].figures.sentBytes = 77;
  const QJsonObject link = networkJson(load).value("link").toObject();
  EXPECT_EQ(link.value("bits_per_s"), 20'000'000);
  EXPECT_EQ(link.value("promised_bits_per_s"), 4e6);
  const QJsonObject flow = link.value("flows").toArray().at(0).toObject();
  EXPECT_EQ(flow.value("class"), "stream");
  EXPECT_EQ(flow.value("sent_bytes"), 77);
}

TEST(NetworkReport, TellsPeopleOfEachStream) {
  EXPECT_EQ(networkText({}), "");
  media::NetworkLoad load = oneStream();
  load.streams[0].port.error = "The other host has closed its port.";
  load.link = {.rate = net::BitRate::perSecond(20'000'000), .promised = 4e6};
  const std::string text = networkText(load);
  for (const char* part :
       {"-> Film", "udp://host:7000/film", "live", "1.5", "network",
        "     The other host has closed its port.\n", "link: 20 Mbit/s, 4 Mbit/s promised"})
    EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
}

TEST(NetworkReport, CountsWhatWasLateOrLost) {
  EXPECT_EQ(violationsOf(media::NetworkLoad{}), 0u);
  EXPECT_EQ(violationsOf(oneStream()), 5u);
}

}  // namespace
}  // namespace tactus::app
