// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tactus::plugins::av {

/// What libav's libraries take in one piece is bounded: a header that tells of millions of samples, tracks or
/// chapters has their tables made before any of them is read. For the whole process. Thread-safe: yes.
void boundAllocations();

}  // namespace tactus::plugins::av
