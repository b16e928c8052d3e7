// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "conference/door/room_link.h"
#include "conference/room/session_key.h"
#include "core/periodic/result.h"

namespace tactus::conference {

/// The resources of WHIP and WHEP at a room's host (docs/room-protocol.md), asked for by a participant. The
/// host's certificate is accepted by the link's fingerprint alone. Requests are made one at a time, and
/// block. Thread-safe: no. Real-time-safe: no.
class MediaResources {
 public:
  /// `link` has a fingerprint.
  explicit MediaResources(RoomLink link);
  ~MediaResources();
  MediaResources(const MediaResources&) = delete;
  MediaResources& operator=(const MediaResources&) = delete;

  struct Made {
    std::string path;    ///< of what was made, for end()
    std::string answer;  ///< SDP
  };
  /// Offers at `path` ("whip/camera"), which is below the link's. Errors: Unavailable: it is not there yet,
  /// and may be asked for again soon; Refused: the host says no, with its sentence; NotFound;
  /// PermissionDenied: not the host of the link; System: no connection, or none within 15 s.
  [[nodiscard]] Result<Made> offer(const std::string& path, const SessionKey& session,
                                   const std::string& sdp);
  /// Ends what offer() made. If it fails, the host finds out by itself that nobody is there.
  void end(const std::string& path, const SessionKey& session);

 private:
  class Inside;
  const std::unique_ptr<Inside> m_inside;
};

}  // namespace tactus::conference
