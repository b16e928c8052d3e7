// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "conference/room_host.h"

namespace tactus::conference {

/// A room on the loopback device, with its media.
class LocalRoom {
 public:
  /// With a failure of the test where it cannot be made.
  LocalRoom() {
    auto certificate = Certificate::make({"127.0.0.1"});
    auto media = RoomMedia::start({.addresses = {"127.0.0.1"}});
    if (!certificate.ok() || !media.ok()) {
      ADD_FAILURE() << (certificate.ok() ? media.error() : certificate.error()).message;
      return;
    }
    RoomHost::Options options;
    options.door.address = "127.0.0.1";
    options.linkHost = "127.0.0.1";
    auto host = RoomHost::start(std::move(options), certificate.value(), {}, {}, std::move(media).value());
    EXPECT_TRUE(host.ok()) << (host.ok() ? "" : host.error().message);
    if (host.ok()) m_host = std::move(host).value();
  }
  /// A link for one more of this role; empty after the end.
  [[nodiscard]] std::string link(Role role = Role::Guest) {
    if (!m_host) return "";
    const auto invitation = m_host->invite(role);
    EXPECT_TRUE(invitation.ok()) << (invitation.ok() ? "" : invitation.error().message);
    return invitation.ok() ? invitation.value().link : "";
  }
  [[nodiscard]] RoomHost& host() { return *m_host; }
  void end() { m_host.reset(); }

 private:
  std::unique_ptr<RoomHost> m_host;
};

}  // namespace tactus::conference
