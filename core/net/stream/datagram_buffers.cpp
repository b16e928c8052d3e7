// SPDX-License-Identifier: Apache-2.0
#include "core/net/stream/datagram_buffers.h"

#include <algorithm>
#include <cassert>
#include <new>

#include "core/periodic/trace/format.h"

namespace tactus::net {

std::size_t DatagramBuffers::countOf(const StreamContract& contract) noexcept {
  const std::size_t gathered = std::min(kGatheredBuffers, kGatheredBytes / contract.largestBuffer);
  return std::max<std::size_t>(contract.workahead + 1, gathered);
}

std::size_t DatagramBuffers::mostDatagramsOf(const StreamContract& contract) noexcept {
  return std::max(pieceCountOf(contract.largestBuffer, kPiecePayload), kEndDatagrams);
}

std::size_t DatagramBuffers::bytesOf(const StreamContract& contract) noexcept {
  const std::size_t datagrams = mostDatagramsOf(contract) * (kStreamHeaderSize + sizeof(Parts));
  return countOf(contract) * (contract.largestBuffer + sizeof(Buffer) + datagrams);
}

Result<DatagramBuffers> DatagramBuffers::create(const StreamContract& contract) {
  try {
    return DatagramBuffers(contract);
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::Unavailable, periodic::format("There is no memory for %zu buffers of %zu bytes.",
                                                          countOf(contract), contract.largestBuffer)};
  }
}

DatagramBuffers::DatagramBuffers(const StreamContract& contract)
    : m_largestBuffer(contract.largestBuffer),
      m_mostDatagrams(mostDatagramsOf(contract)),
      m_buffers(countOf(contract)),
      m_memory(m_buffers.size() * m_largestBuffer),
      m_headers(m_buffers.size() * m_mostDatagrams),
      m_parts(m_headers.size()) {
  for (std::size_t i = 0; i < m_parts.size(); ++i) {
    const std::size_t offset = std::min(i % m_mostDatagrams * kPiecePayload, m_largestBuffer);
    std::byte* buffer = m_memory.data() + i / m_mostDatagrams * m_largestBuffer;
    m_parts[i] = {iovec{m_headers[i].data(), kStreamHeaderSize}, iovec{buffer + offset, 0}};
  }
}

std::span<std::byte> DatagramBuffers::room() TACTUS_REALTIME {
  if (isFull()) return {};
  return std::span(m_memory).subspan(at(m_inUse) * m_largestBuffer, m_largestBuffer);
}

void DatagramBuffers::cut(const StreamHeader& header) TACTUS_REALTIME {
  assert(!isFull() && header.length <= m_largestBuffer);
  const std::size_t index = at(m_inUse++);
  Buffer& buffer = m_buffers[index];
  buffer.length = header.length;
  buffer.datagrams = header.end ? kEndDatagrams : pieceCountOf(header.length, kPiecePayload);
  StreamHeader each = header;
  for (std::size_t i = 0; i < buffer.datagrams; ++i) {
    const PieceCut piece = header.end ? PieceCut{} : pieceOf(i, header.length, kPiecePayload);
    each.offset = static_cast<std::uint32_t>(piece.offset);
    encode(each, m_headers[index * m_mostDatagrams + i]);
    m_parts[index * m_mostDatagrams + i][1].iov_len = piece.size;
  }
}

void DatagramBuffers::conclude(std::size_t sent, bool late) TACTUS_REALTIME {
  assert(!isEmpty());
  const Buffer& buffer = m_buffers[m_oldest];
  if (sent >= pieceCountOf(buffer.length, kPiecePayload)) {  // of the end one datagram is enough
    ++m_figures.sent;
    m_figures.sentBytes += buffer.length;
  } else if (late) {
    ++m_figures.late;
  } else {
    ++m_figures.failed;
  }
  m_oldest = at(1);
  --m_inUse;
}

}  // namespace tactus::net
