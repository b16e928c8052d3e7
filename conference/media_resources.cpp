// SPDX-License-Identifier: Apache-2.0
#include "conference/media_resources.h"

#include <libsoup/soup.h>

#include <utility>

#include "conference/door/object_ref.h"
#include "conference/pinned_certificate.h"
#include "conference/room/plain_text.h"
#include "conference/room/room_facts.h"

namespace tactus::conference {
namespace {

constexpr guint kPatience = 15;                 // seconds
constexpr std::size_t kLargestAnswer = 65'536;  // bytes
constexpr const char* kSdp = "application/sdp";

ErrorCode codeOf(guint status) {
  switch (status) {
    case SOUP_STATUS_NOT_FOUND:
      return ErrorCode::NotFound;
    case SOUP_STATUS_SERVICE_UNAVAILABLE:
      return ErrorCode::Unavailable;
    default:
      return ErrorCode::Refused;
  }
}

}  // namespace

class MediaResources::Inside {
 public:
  struct Answered {
    guint status = 0;
    std::string location, body;
  };

  explicit Inside(RoomLink link) : m_link(std::move(link)) {
    m_session = ObjectRef<SoupSession>::take(soup_session_new_with_options("timeout", kPatience, nullptr));
    // No authority is asked: each certificate is "bad" then, so that each is shown to onCertificate().
    soup_session_set_tls_database(m_session.get(), nullptr);
    soup_session_set_proxy_resolver(m_session.get(), nullptr);  // media do not pass a proxy, either
  }

  Result<Answered> ask(const char* method, const std::string& uri, const SessionKey& session,
                       const std::string& body) {
    const auto message = ObjectRef<SoupMessage>::take(soup_message_new(method, uri.c_str()));
    if (!message) return Error{ErrorCode::InvalidArgument, "The host names no place that could be asked."};
    m_impostor = false;
    g_signal_connect(message.get(), "accept-certificate", G_CALLBACK(onCertificate), this);
    soup_message_headers_append(soup_message_get_request_headers(message.get()), "Authorization",
                                ("Bearer " + session.secret()).c_str());
    if (!body.empty()) {
      GBytes* const bytes = g_bytes_new(body.data(), body.size());
      soup_message_set_request_body_from_bytes(message.get(), kSdp, bytes);
      g_bytes_unref(bytes);
    }
    GError* error = nullptr;
    const auto stream =
        ObjectRef<GInputStream>::take(soup_session_send(m_session.get(), message.get(), nullptr, &error));
    Answered answered;
    answered.body.resize(kLargestAnswer + 1);  // one more than is taken: a host may lie as well
    gsize size = 0;
    if (stream)
      (void)g_input_stream_read_all(stream.get(), answered.body.data(), answered.body.size(), &size, nullptr,
                                    &error);
    if (error != nullptr) return failed(error);
    answered.body.resize(size);
    answered.status = soup_message_get_status(message.get());
    if (const char* location =
            soup_message_headers_get_one(soup_message_get_response_headers(message.get()), "Location"))
      answered.location = location;
    return answered;
  }
  [[nodiscard]] const RoomLink& link() const noexcept { return m_link; }

 private:
  /// Takes the error over.
  [[nodiscard]] Error failed(GError* error) const {
    const std::string sentence = std::string("The host cannot be asked: ") + error->message + ".";
    g_error_free(error);
    if (m_impostor)
      return {ErrorCode::PermissionDenied, "Whoever answers is not the host that the link names."};
    return {ErrorCode::System, sentence};
  }
  static gboolean onCertificate(SoupMessage*, GTlsCertificate* certificate, GTlsCertificateFlags,
                                gpointer data) {
    auto* const self = static_cast<Inside*>(data);
    self->m_impostor = !sameSecret(fingerprintOf(certificate), self->m_link.fingerprint);
    return self->m_impostor ? FALSE : TRUE;
  }

  const RoomLink m_link;
  ObjectRef<SoupSession> m_session;
  bool m_impostor = false;  // whoever answered the last request
};

MediaResources::MediaResources(RoomLink link) : m_inside(std::make_unique<Inside>(std::move(link))) {}
MediaResources::~MediaResources() = default;

Result<MediaResources::Made> MediaResources::offer(const std::string& path, const SessionKey& session,
                                                   const std::string& sdp) {
  auto answered = m_inside->ask("POST", m_inside->link().base() + "/" + path, session, sdp);
  if (!answered.ok()) return answered.error();
  auto& [status, location, body] = answered.value();
  if (status != SOUP_STATUS_CREATED)
    return Error{codeOf(status), "The host refuses: " + plainText(body.substr(0, kLongestChatText))};
  const std::string below = "/r/" + std::string(m_inside->link().token.text()) + "/";
  if (!location.starts_with(below) || body.size() > kLargestAnswer)
    return Error{ErrorCode::Refused, "The host's answer is none that a room's host gives."};
  return Made{location.substr(below.size()), std::move(body)};
}

void MediaResources::end(const std::string& path, const SessionKey& session) {
  (void)m_inside->ask("DELETE", m_inside->link().base() + "/" + path, session, {});
}

}  // namespace tactus::conference
