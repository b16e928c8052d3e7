// SPDX-License-Identifier: Apache-2.0
#include "plugins/orientation.h"

#include <string_view>

#include "plugins/gst_handle.h"

namespace tactus::plugins {

Orientation orientationOf(const char* tag) noexcept {
  const std::string_view text(tag);
  const bool flip = text.starts_with("flip-");
  const std::string_view turn = flip ? text.substr(5) : text;
  int degrees = 0;
  if (turn == "rotate-90") degrees = 90;
  if (turn == "rotate-180") degrees = 180;
  if (turn == "rotate-270") degrees = 270;
  // GStreamer flips before it turns, we mirror afterwards: for a quarter turn that is the opposite turn.
  if (flip && degrees % 180 == 90) degrees = 360 - degrees;
  return {degrees, flip};
}

const char* directionOf(Orientation orientation) noexcept {
  switch (orientation.degrees) {
    case 90:
      return orientation.mirrored ? "ul-lr" : "90r";  // a quarter turn that is mirrored is a transposition
    case 180:
      return orientation.mirrored ? "vert" : "180";
    case 270:
      return orientation.mirrored ? "ur-ll" : "90l";
    default:
      return orientation.mirrored ? "horiz" : "identity";
  }
}

std::optional<Orientation> orientationIn(GstEvent* event) noexcept {
  GstTagList* tags = nullptr;  // borrowed
  gchar* text = nullptr;
  gst_event_parse_tag(event, &tags);
  if (tags == nullptr || gst_tag_list_get_string(tags, GST_TAG_IMAGE_ORIENTATION, &text) == FALSE)
    return std::nullopt;
  const CharPtr held(text);
  return orientationOf(text);
}

}  // namespace tactus::plugins
