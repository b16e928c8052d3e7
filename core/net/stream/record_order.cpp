// SPDX-License-Identifier: Apache-2.0
#include "core/net/stream/record_order.h"

#include <cassert>
#include <cerrno>
#include <cstring>

#include "core/periodic/trace/format.h"

namespace tactus::net {

using periodic::format;

bool RecordOrder::accept(const StreamHeader& header) TACTUS_REALTIME {
  assert(!m_held);
  if (m_held || isOver()) return false;
  const std::uint32_t ahead = header.number - m_expected;  // numbers wrap
  if (ahead > INT32_MAX) {
    m_came = header.number;
    breakFor(Why::Repeated);
  } else if (ahead > 0 && m_reliable) {
    breakFor(Why::LeftOut);
  } else {
    m_figures.lost += ahead;
    m_expected = header.number + 1;
    m_ended = header.end;
    m_held = true;
  }
  return m_held;
}

void RecordOrder::release() TACTUS_REALTIME {
  if (!m_held) return;
  m_held = false;
  ++m_figures.whole;
}

void RecordOrder::malformed(WireFault fault) TACTUS_REALTIME {
  if (isOver()) return;
  m_fault = fault;
  ++m_figures.malformed;
  breakFor(Why::Malformed);
}

void RecordOrder::corrupt() TACTUS_REALTIME {
  breakFor(Why::Corrupt);
}

void RecordOrder::closed(bool inside) TACTUS_REALTIME {
  breakFor(inside ? Why::ClosedInside : Why::Closed);
}

void RecordOrder::failed(int error) TACTUS_REALTIME {
  if (isOver()) return;
  m_error = error;
  breakFor(Why::Failed);
}

/// After the end nothing counts any more.
void RecordOrder::breakFor(Why why) TACTUS_REALTIME {
  if (!isOver()) m_why = why;
}

std::optional<EndBroken> RecordOrder::broken() const {
  switch (m_why) {
    case Why::Not:
      break;
    case Why::LeftOut:
      return EndBroken{format("The peer left out buffer %u.", m_expected)};
    case Why::Repeated:
      return EndBroken{format("The peer sent buffer %u where buffer %u was due.", m_came, m_expected)};
    case Why::Malformed:
      return EndBroken{
          format("The peer sent what is no buffer of this stream (%s).", nameOf(m_fault).data())};
    case Why::Corrupt:
      return EndBroken{"The peer wrote into the shared memory what no stream writes."};
    case Why::Closed:
      return EndBroken{format("The peer closed the stream before its end: buffer %u was due.", m_expected)};
    case Why::ClosedInside:
      return EndBroken{format("The peer closed the stream inside buffer %u.", m_expected)};
    case Why::Failed:
      return EndBroken{format("The connection failed: %s.", std::strerror(m_error))};
  }
  return std::nullopt;
}

}  // namespace tactus::net
