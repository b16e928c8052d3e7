// SPDX-License-Identifier: Apache-2.0
#include "ui/models/network_history.h"

#include <gtest/gtest.h>

namespace tactus::ui {
namespace {

using namespace std::chrono_literals;
using media::NetworkLoad;
using media::StreamLoad;

net::FlowRow flow(net::LinkClass linkClass, std::uint64_t bytes, std::uint64_t late,
                  periodic::Duration waited) {
  net::FlowRow row;
  row.spec.linkClass = linkClass;
  row.figures.sentBytes = bytes;
  row.figures.late = late;
  row.figures.waited.p99 = waited;
  return row;
}

StreamLoad film(std::uint64_t bytes) {
  StreamLoad stream{.name = "film", .place = "udp://host:7000/film"};
  stream.port.state = net::StreamState::Live;
  stream.port.bytes = bytes;
  stream.port.contract = {
      .transport = net::TransportKind::Tcp, .largestBuffer = 10'000, .rate = periodic::Rate::perSecond(25)};
  return stream;
}

QString cell(const QVariantList& rows, int row, const char* name) {
  return rows.at(row).toMap().value(name).toString();
}

TEST(NetworkHistory, HasNoRatesAtTheFirstLook) {
  NetworkHistory history;
  history.look({.streams = {film(1000)}}, 1);
  ASSERT_EQ(history.streams().size(), 1);
  EXPECT_EQ(cell(history.streams(), 0, "rate"), QString::fromUtf8("\u2013"));
  EXPECT_EQ(cell(history.streams(), 0, "state"), "live");
  EXPECT_EQ(history.link(), "");
  EXPECT_TRUE(history.classes().isEmpty());
}

TEST(NetworkHistory, CountsWhatPassedSinceTheLastLook) {
  NetworkHistory history;
  history.look({.streams = {film(1000)}}, 1);
  history.look({.streams = {film(501'000)}}, 2);
  EXPECT_EQ(cell(history.streams(), 0, "rate"), "2.0 Mbit/s");
  history.look({.streams = {film(509'000)}}, 1);
  EXPECT_EQ(cell(history.streams(), 0, "rate"), "64 kbit/s");
  history.forgetLook();
  history.look({.streams = {film(900'000)}}, 60);
  EXPECT_EQ(cell(history.streams(), 0, "rate"), QString::fromUtf8("\u2013"));
}

TEST(NetworkHistory, SaysWhatALinkHasPromisedAndUsed) {
  NetworkHistory history;
  NetworkLoad load;
  load.link = NetworkLoad::LinkLoad{.rate = net::BitRate::perSecond(20'000'000), .promised = 12'100'000};
  load.link->flows = {flow(net::LinkClass::Audio, 0, 0, 1ms), flow(net::LinkClass::Bulk, 0, 3, 40ms),
                      flow(net::LinkClass::Bulk, 0, 4, 30ms)};
  history.look(load, 1);
  EXPECT_EQ(history.link(), QString::fromUtf8("Link: 20.0 Mbit/s, 12.1 Mbit/s promised, \u2013 used"));
  load.link->flows = {flow(net::LinkClass::Audio, 8'000, 0, 1ms),
                      flow(net::LinkClass::Bulk, 1'000'000, 3, 40ms),
                      flow(net::LinkClass::Bulk, 242'000, 4, 30ms)};
  history.look(load, 1);
  EXPECT_EQ(history.link(), "Link: 20.0 Mbit/s, 12.1 Mbit/s promised, 10.0 Mbit/s used");
  ASSERT_EQ(history.classes().size(), 2);
  EXPECT_EQ(cell(history.classes(), 0, "name"), "audio");
  EXPECT_EQ(cell(history.classes(), 0, "rate"), "64 kbit/s");
  EXPECT_EQ(cell(history.classes(), 1, "name"), "bulk");
  EXPECT_EQ(cell(history.classes(), 1, "flows"), "2");
  EXPECT_EQ(cell(history.classes(), 1, "waited"), "40.0 ms");
  EXPECT_EQ(cell(history.classes(), 1, "late"), "7");
}

TEST(NetworkHistory, AFlowThatWasClosedIsNoNegativeRate) {
  NetworkHistory history;
  NetworkLoad load;
  load.link = NetworkLoad::LinkLoad{.rate = net::BitRate::perSecond(1'000'000)};
  load.link->flows = {flow(net::LinkClass::Bulk, 5000, 0, 0ms), flow(net::LinkClass::Bulk, 5000, 0, 0ms)};
  history.look(load, 1);
  load.link->flows.pop_back();
  history.look(load, 1);
  EXPECT_EQ(cell(history.classes(), 0, "rate"), "0 kbit/s");
}

TEST(NetworkHistory, SaysWhatAStreamWasPromisedAndWhoseFaultItIs) {
  NetworkHistory history;
  StreamLoad stream = film(0);
  stream.type = net::PortType::Read;
  stream.port.figures.received = 95;
  stream.port.figures.lost = 2;
  stream.port.figures.late = 4;
  stream.port.figures.delay = 12'300us;
  stream.port.fault = net::StreamFault::Network;
  history.look({.streams = {stream}}, 1);
  const double promised = static_cast<double>(net::byteContractOf(stream.port.contract)->rate.bits());
  EXPECT_EQ(cell(history.streams(), 0, "promised"), QString::number(promised / 1e6, 'f', 1) + " Mbit/s");
  EXPECT_EQ(cell(history.streams(), 0, "lost"), "2");
  EXPECT_EQ(cell(history.streams(), 0, "late"), "4");
  EXPECT_EQ(cell(history.streams(), 0, "lossHealth"), "bad");
  EXPECT_EQ(cell(history.streams(), 0, "delay"), "12.3 ms");
  EXPECT_EQ(cell(history.streams(), 0, "says"), "The network is late, or loses what was sent.");
  stream.port.isViolated = true;
  stream.port.qosSentence = "film: 5 buffers were late.";
  history.look({.streams = {stream}}, 1);
  EXPECT_EQ(cell(history.streams(), 0, "says"), "film: 5 buffers were late.");
  stream.port.error = "The other host has closed its port.";
  history.look({.streams = {stream}}, 1);
  EXPECT_EQ(cell(history.streams(), 0, "says"), "The other host has closed its port.");
}

}  // namespace
}  // namespace tactus::ui
