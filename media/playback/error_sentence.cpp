// SPDX-License-Identifier: Apache-2.0
#include "media/playback/error_sentence.h"

#include <string_view>

namespace tactus::media {
namespace {

Error resourceError(const GError& error, const std::string& what, std::string_view debug) {
  switch (error.code) {
    case GST_RESOURCE_ERROR_NOT_FOUND:
      return {ErrorCode::NotFound, "'" + what + "' was not found."};
    case GST_RESOURCE_ERROR_NOT_AUTHORIZED:
      return {ErrorCode::PermissionDenied,
              "'" + what + "' may not be opened: the server or the file system refused."};
    case GST_RESOURCE_ERROR_OPEN_READ:
    case GST_RESOURCE_ERROR_OPEN_READ_WRITE:
    case GST_RESOURCE_ERROR_READ:
      if (debug.find("refused") != std::string_view::npos ||
          debug.find("Cannot connect") != std::string_view::npos) {
        return {ErrorCode::Unavailable, "'" + what + "' cannot be reached: the connection was refused."};
      }
      if (debug.find("timed out") != std::string_view::npos ||
          debug.find("Timeout") != std::string_view::npos) {
        return {ErrorCode::Timeout, "'" + what + "' did not answer in time."};
      }
      return {ErrorCode::Unavailable, "'" + what + "' cannot be read: " + error.message};
    case GST_RESOURCE_ERROR_NO_SPACE_LEFT:
      return {ErrorCode::System, "The disk is full."};
    default:
      return {ErrorCode::Unavailable, "'" + what + "' cannot be opened: " + error.message};
  }
}

}  // namespace

Error sentenceOf(const GError& error, const char* debug, const std::string& what,
                 const std::string& missing) {
  const std::string_view details = debug != nullptr ? debug : "";
  if (!missing.empty())
    return {ErrorCode::Unsupported, "'" + what + "' needs a " + missing + ", which is not installed."};
  if (error.domain == GST_RESOURCE_ERROR) return resourceError(error, what, details);
  if (error.domain == GST_STREAM_ERROR) {
    switch (error.code) {
      case GST_STREAM_ERROR_TYPE_NOT_FOUND:
      case GST_STREAM_ERROR_WRONG_TYPE:
        return {ErrorCode::Corrupt, "'" + what + "' is not a film or sound that can be played."};
      case GST_STREAM_ERROR_CODEC_NOT_FOUND:
        return {ErrorCode::Unsupported, "'" + what + "' needs a decoder that is not installed."};
      case GST_STREAM_ERROR_DEMUX:
        return {ErrorCode::Corrupt, "'" + what + "' is damaged: " + error.message};
      case GST_STREAM_ERROR_DECODE:
        return {ErrorCode::Corrupt, "'" + what + "' cannot be decoded: " + error.message};
      default:
        return {ErrorCode::Corrupt, "'" + what + "' cannot be played: " + error.message};
    }
  }
  if (error.domain == GST_CORE_ERROR && error.code == GST_CORE_ERROR_MISSING_PLUGIN) {
    return {ErrorCode::Unsupported,
            "'" + what + "' needs a GStreamer plugin that is not installed: " + error.message};
  }
  return {ErrorCode::System, "'" + what + "' cannot be played: " + error.message};
}

}  // namespace tactus::media
