// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "tests/lab/trial_page.h"

namespace tactus::lab {

/// The kernel holds so many bytes of what has come. False: it does not, and errno says why.
[[nodiscard]] bool holdDatagrams(int socket, std::size_t bytes);

/// Buffers of `size` bytes over a connected UDP socket, in pieces of 1,400 bytes with a header of 32, until
/// the process ends. With trains, as many buffers as fit into 64 KiB leave with one sendmmsg(), and the
/// kernel cuts them (UDP_SEGMENT). What the network does not take is lost.
void sendDatagrams(int socket, std::size_t size, bool trains, TrialPage& page);

/// Counts the buffers of which all pieces came, and puts the pieces of each where they belong. With trains
/// the kernel delivers up to 64 KiB at once (UDP_GRO), and four of these with one recvmmsg().
void receiveDatagrams(int socket, std::size_t size, bool trains, TrialPage& page);

}  // namespace tactus::lab
