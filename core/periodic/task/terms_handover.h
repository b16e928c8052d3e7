// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <optional>

#include "core/periodic/time/time.h"
#include "core/periodic/workload/lbap.h"

namespace tactus::periodic {

/// What the bound thread needs of a contract for each packet.
struct PacketTerms {
  LbapContract lbap;
  Duration deadline{0};  ///< after the logical arrival time; zero = one period
};

/// New terms on their way to the bound thread. Of several publications the last one counts. The reader only
/// swaps pointers: what it has read is freed by the next publication or by the destructor.
class TermsHandOver {
 public:
  TermsHandOver() = default;
  ~TermsHandOver();
  TermsHandOver(const TermsHandOver&) = delete;
  TermsHandOver& operator=(const TermsHandOver&) = delete;

  /// One writer at a time (whoever holds the table's lock). Real-time-safe: no (allocates and frees).
  void publish(const PacketTerms& terms);
  /// The newest terms not yet taken. The bound thread only. Real-time-safe: yes.
  [[nodiscard]] std::optional<PacketTerms> take() TACTUS_REALTIME;

 private:
  struct Node {
    PacketTerms terms;
    Node* next = nullptr;  // in the list of taken nodes
  };
  void freeTaken() noexcept;

  std::atomic<Node*> m_pending{nullptr};
  std::atomic<Node*> m_taken{nullptr};  // pushed by the reader, freed by the writer
};

}  // namespace tactus::periodic
