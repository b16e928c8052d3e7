// SPDX-License-Identifier: Apache-2.0
#include "media/streaming/outgoing_source.h"

#include <optional>
#include <string_view>
#include <utility>

#include "media/streaming/outgoing_capture.h"
#include "media/streaming/outgoing_film.h"

namespace tactus::media {
namespace {

template <typename Source>
Result<std::unique_ptr<OutgoingStream>> asStream(Result<std::unique_ptr<Source>> opened) {
  if (!opened.ok()) return opened.error();
  return std::unique_ptr<OutgoingStream>(std::move(opened).value());
}

/// The device in "camera:DEVICE", empty in "camera"; absent: the item is none of this kind.
std::optional<std::string> deviceOf(std::string_view item, std::string_view kind) {
  if (!item.starts_with(kind)) return std::nullopt;
  item.remove_prefix(kind.size());
  if (item.empty()) return std::string();
  if (!item.starts_with(':')) return std::nullopt;
  return std::string(item.substr(1));
}

}  // namespace

Result<std::unique_ptr<OutgoingStream>> openSource(const std::string& item, net::TransportKind transport) {
  OutgoingCapture::Options options{.transport = transport};
  if (auto camera = deviceOf(item, "camera")) options.camera = OutgoingCapture::camera(*std::move(camera));
  if (auto microphone = deviceOf(item, "mic"))
    options.microphone = OutgoingCapture::microphone(*std::move(microphone));
  if (options.camera || options.microphone)
    return asStream(OutgoingCapture::open(options, plugins::av::Cancellation()));
  return asStream(
      OutgoingFilm::open(item, {.transport = transport}, std::make_shared<plugins::av::Cancellation>()));
}

}  // namespace tactus::media
