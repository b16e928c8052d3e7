// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "tests/lab/trial_page.h"

namespace tactus::lab {

/// The sockets that a stream of ours is compared with: what is left when everything is left out that is not
/// necessary to send buffers of one size, with a header of 32 bytes, one way.
enum class BareSocket {
  Tcp,        ///< one send() and one recv(MSG_WAITALL) a buffer
  Unix,       ///< the same over a Unix stream socket
  Udp,        ///< one send() and one recv() a datagram of up to 1,400 bytes of a buffer
  UdpTrains,  ///< as many as a stream of ours gathers with one sendmmsg(); UDP_SEGMENT and UDP_GRO
};

/// One end of a trial: buffers of `size` bytes. `path`: of a Unix socket; not used otherwise. `kernelBytes`:
/// for how much of what has come over UDP the kernel is to have room. What went wrong is said on stderr.
struct BareTrial {
  BareSocket socket = BareSocket::Tcp;
  std::size_t size = 0;
  std::string path = {};
  std::size_t kernelBytes = 0;
};

/// Receives until the process ends, or until the peer closes. Says where in `page.port`.
void receiveBare(const BareTrial& trial, TrialPage& page);
/// Sends to the receiver of `page.port` until the process ends, or until the peer closes.
void sendBare(const BareTrial& trial, TrialPage& page);

}  // namespace tactus::lab
