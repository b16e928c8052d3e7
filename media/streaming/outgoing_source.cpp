// SPDX-License-Identifier: Apache-2.0
#include "media/streaming/outgoing_source.h"

#include <utility>

#include "media/streaming/outgoing_film.h"

namespace tactus::media {

Result<std::unique_ptr<OutgoingStream>> openSource(const std::string& item, net::TransportKind transport) {
  auto film =
      OutgoingFilm::open(item, {.transport = transport}, std::make_shared<plugins::av::Cancellation>());
  if (!film.ok()) return film.error();
  return std::unique_ptr<OutgoingStream>(std::move(film).value());
}

}  // namespace tactus::media
