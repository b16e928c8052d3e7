// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace tactus::media {

/// The offer with `cids` as the ids of its tracks (RFC 8830: "a=msid:- CID"), in the order of its media; what
/// it says of them otherwise is left out. Thread-safe: yes (pure). Real-time-safe: no.
[[nodiscard]] std::string withTrackIds(const std::string& offer, const std::vector<std::string>& cids);

}  // namespace tactus::media
