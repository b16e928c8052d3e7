// SPDX-License-Identifier: Apache-2.0
#include "plugins/av/refusal.h"

#include "plugins/gst_handle.h"

namespace tactus::plugins::av {
namespace {

constexpr const char* kRefusal = "tactus-refusal";

}  // namespace

void postRefusal(GstElement* element, const Error& why) {
  GstStructure* details =
      gst_structure_new(kRefusal, "code", G_TYPE_INT, static_cast<gint>(why.code), nullptr);
  gst_element_message_full_with_details(element, GST_MESSAGE_ERROR, GST_RESOURCE_ERROR,
                                        GST_RESOURCE_ERROR_READ, g_strdup(why.message.c_str()), nullptr,
                                        __FILE__, GST_FUNCTION, __LINE__, details);
}

std::optional<Error> refusalIn(GstMessage* message) {
  const GstStructure* details = nullptr;
  gst_message_parse_error_details(message, &details);
  gint code = 0;
  if (details == nullptr || gst_structure_has_name(details, kRefusal) == FALSE ||
      gst_structure_get_int(details, "code", &code) == FALSE)
    return std::nullopt;
  GError* raw = nullptr;
  gst_message_parse_error(message, &raw, nullptr);
  const ErrorPtr error(raw);
  return Error{static_cast<ErrorCode>(code), error->message};
}

}  // namespace tactus::plugins::av
