// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/task/terms_handover.h"

namespace tactus::periodic {

TermsHandOver::~TermsHandOver() {
  delete m_pending.load(std::memory_order_acquire);  // acquire: written by the last publisher
  freeTaken();
}

void TermsHandOver::freeTaken() noexcept {
  // acquire: pairs with the reader's release when it put the node there.
  Node* node = m_taken.exchange(nullptr, std::memory_order_acquire);
  while (node != nullptr) {
    Node* const next = node->next;
    delete node;
    node = next;
  }
}

void TermsHandOver::publish(const PacketTerms& terms) {
  freeTaken();
  // release publishes the terms; acquire: a node that was not taken comes back to us.
  delete m_pending.exchange(new Node{terms}, std::memory_order_acq_rel);
}

std::optional<PacketTerms> TermsHandOver::take() TACTUS_REALTIME {
  // The load spares the exchange, which costs a bus lock, on every packet without news. relaxed: nothing is
  // read through it.
  if (m_pending.load(std::memory_order_relaxed) == nullptr) return std::nullopt;
  // acquire: the terms were written before they were published.
  Node* const node = m_pending.exchange(nullptr, std::memory_order_acquire);
  if (node == nullptr) return std::nullopt;
  const PacketTerms terms = node->terms;
  node->next = m_taken.load(std::memory_order_relaxed);
  // release: the link is written before freeTaken() takes the list.
  while (!m_taken.compare_exchange_weak(node->next, node, std::memory_order_release,
                                        std::memory_order_relaxed)) {
  }
  return terms;
}

}  // namespace tactus::periodic
