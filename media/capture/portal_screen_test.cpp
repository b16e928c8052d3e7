// SPDX-License-Identifier: Apache-2.0
// The desktop's own portal and compositor, without a window, lend their screen.
#include "media/capture/portal_screen.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

#include "media/capture/wayland_desktop_fixture.h"
#include "media/room/participant/call_peer_fixture.h"
#include "media/room/participant/outgoing_call.h"

namespace tactus::media {
namespace {

using testing::AnsweringPeer;
using testing::comesTrue;
using testing::WaylandDesktop;
using Extent = WaylandDesktop::Extent;
using State = PortalScreen::State;
using User = WaylandDesktop::User;

class PortalScreenTest : public ::testing::Test {
 protected:
  /// Once there is an answer.
  static std::shared_ptr<PortalScreen> ask(const std::string& bus, const std::string& token = {}) {
    auto screen = PortalScreen::ask({.restoreToken = token, .bus = bus});
    EXPECT_TRUE(comesTrue([&] { return screen->state() != State::Asking; }));
    return screen;
  }
  std::unique_ptr<OutgoingCall> create(const std::shared_ptr<PortalScreen>& screen) {
    const auto track = OutgoingTrack::screen("screen", {.kind = CaptureSource::Kind::Screen, .lent = screen});
    auto call = OutgoingCall::create({.tracks = {track}, .addresses = {"127.0.0.1"}}, m_scheduler, nullptr);
    if (!call.ok()) {
      ADD_FAILURE() << call.error().message;
      return nullptr;
    }
    return std::move(call).value();
  }
  std::unique_ptr<OutgoingCall> send(const std::shared_ptr<PortalScreen>& screen, AnsweringPeer& peer) {
    auto call = create(screen);
    if (!call) return nullptr;
    const auto offer = call->offer();
    EXPECT_TRUE(offer.ok()) << (offer.ok() ? "" : offer.error().message);
    if (!offer.ok()) return nullptr;
    EXPECT_TRUE(call->accept(peer.answer(offer.value())).ok());
    return call;
  }
  static bool shows(WaylandDesktop& desktop, const AnsweringPeer& peer, std::uint32_t number) {
    return desktop.showUntil(number, [&] {
      const auto stamps = peer.stamps();
      return !stamps.empty() && stamps.back().number == number;
    });
  }

  periodic::KernelTime m_time;
  periodic::TraceLog m_trace;
  std::unique_ptr<periodic::KernelClassGate> m_gate =
      periodic::KernelClassGate::probe(periodic::KernelClass::None, {});
  periodic::Scheduler m_scheduler{m_time, *m_gate, m_trace};
};

TEST_F(PortalScreenTest, WhereThereIsNoBusThereIsNoPortal) {
  EXPECT_EQ(ask("unix:path=/nonexistent/bus")->state(), State::Absent);
}

TEST_F(PortalScreenTest, WhereThereIsNoPortalOrNoDesktopBehindItNothingIsAsked) {
  const WaylandDesktop bare(Extent::Bus);
  EXPECT_EQ(ask(bare.bus())->state(), State::Absent);
  const WaylandDesktop portal(Extent::Portal);
  EXPECT_EQ(ask(portal.bus())->state(), State::Absent);
}

TEST_F(PortalScreenTest, AScreenIsSentAsItChangesAndStandsStillAndToWhoComesLater) {
  WaylandDesktop desktop(Extent::Whole);
  const auto screen = ask(desktop.bus());
  ASSERT_EQ(screen->state(), State::Lent) << screen->fault();
  auto peer = std::make_unique<AnsweringPeer>();
  auto call = send(screen, *peer);
  ASSERT_TRUE(call);
  ASSERT_TRUE(shows(desktop, *peer, 1));
  const auto still = peer->pictures();
  EXPECT_TRUE(comesTrue([&] { return peer->pictures() > still + 20; })) << "nothing changes";
  EXPECT_TRUE(shows(desktop, *peer, 2));
  EXPECT_EQ(call->query().state, CallState::Live) << call->query().why;
  // A connection that breaks is made anew with the same screen.
  call.reset();
  peer = std::make_unique<AnsweringPeer>();
  call = send(screen, *peer);
  ASSERT_TRUE(call);
  EXPECT_TRUE(shows(desktop, *peer, 3));
}

TEST_F(PortalScreenTest, WhoRefusesSharesNothingButWhatWasAgreedToOnceIsLentAgain) {
  WaylandDesktop desktop(Extent::Whole);
  const std::string token = ask(desktop.bus())->restoreToken();
  EXPECT_FALSE(token.empty());
  desktop.setUser(User::Refuses);
  const auto refused = ask(desktop.bus());
  EXPECT_EQ(refused->state(), State::Cancelled);
  EXPECT_EQ(refused->fault(), "");
  EXPECT_FALSE(refused->connect().ok());
  EXPECT_EQ(ask(desktop.bus(), token)->state(), State::Lent);
}

TEST_F(PortalScreenTest, WhatIsAskedCanBeTakenBackAndAskedAnew) {
  WaylandDesktop desktop(Extent::Whole, User::Thinks);
  auto asked = PortalScreen::ask({.bus = desktop.bus()});
  EXPECT_EQ(asked->state(), State::Asking);
  asked.reset();
  desktop.setUser(User::Agrees);
  EXPECT_EQ(ask(desktop.bus())->state(), State::Lent);
}

TEST_F(PortalScreenTest, APortalThatEndsWhileTheUserThinksIsAFailure) {
  WaylandDesktop desktop(Extent::Whole, User::Thinks);
  std::atomic<int> changes{0};
  const auto asked = PortalScreen::ask({.bus = desktop.bus(), .changed = [&] { ++changes; }});
  desktop.killPortal();
  ASSERT_TRUE(comesTrue([&] { return asked->state() != State::Asking; }));
  EXPECT_EQ(changes, 1);
  EXPECT_TRUE(asked->state() == State::Failed || asked->state() == State::Absent);
}

TEST_F(PortalScreenTest, WithThePortalTheSharingEnds) {
  WaylandDesktop desktop(Extent::Whole);
  const auto screen = ask(desktop.bus());
  AnsweringPeer peer;
  const auto call = send(screen, peer);
  ASSERT_TRUE(call);
  ASSERT_TRUE(desktop.showUntil(1, [&] { return peer.pictures() > 0; }));
  desktop.killPortal();
  ASSERT_TRUE(comesTrue([&] { return call->query().state == CallState::Ended; }));
  EXPECT_EQ(screen->state(), State::Ended);
  EXPECT_EQ(call->query().why, "The desktop does not share the screen any more.");
  EXPECT_EQ(call->query().brokenDevice, MediaKind::Video);
}

TEST_F(PortalScreenTest, WithTheCompositorsPicturesTheSharingEnds) {
  WaylandDesktop desktop(Extent::Whole);
  const auto screen = ask(desktop.bus());
  AnsweringPeer peer;
  const auto call = send(screen, peer);
  ASSERT_TRUE(call);
  ASSERT_TRUE(desktop.showUntil(1, [&] { return peer.pictures() > 0; }));
  desktop.killBackend();  // of which PipeWire and the portal tell nothing
  ASSERT_TRUE(comesTrue([&] { return call->query().state == CallState::Ended; }));
  EXPECT_EQ(call->query().why, "The pictures of the screen have stopped.");
  EXPECT_EQ(call->query().brokenDevice, MediaKind::Video);
}

}  // namespace
}  // namespace tactus::media
