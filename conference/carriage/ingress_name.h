// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace tactus::conference {

/// The name of a participant that sends by WHIP alone: "name=" of the query of its address, else its bearer
/// token, else "Stream". What has the form of a SessionKey is no name: it may be somebody's secret. As
/// plainName(), not empty. `query`: percent-encoded (application/x-www-form-urlencoded).
/// Thread-safe: yes (pure). Real-time-safe: no.
[[nodiscard]] std::string ingressName(const std::string& query, std::string_view bearer);

}  // namespace tactus::conference
