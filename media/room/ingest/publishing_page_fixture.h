// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <libsoup/soup.h>

#include <mutex>
#include <string>
#include <utility>

#include "media/room/ingest/whip_endpoint.h"
#include "media/room/page_server_fixture.h"

namespace tactus::media {

/// A page on a server of the loopback device that publishes by WHIP, at the endpoint /whip, what getUserMedia
/// gives.
class PublishingPage {
 public:
  explicit PublishingPage(WhipEndpoint& endpoint) : m_endpoint(endpoint) {}
  ~PublishingPage() = default;
  PublishingPage(const PublishingPage&) = delete;
  PublishingPage& operator=(const PublishingPage&) = delete;

  /// `codec` of the pictures: "VP8" or "H264".
  [[nodiscard]] std::string address(const std::string& codec) const {
    return m_server.address() + "?" + codec;
  }
  /// The page does it soon: "silence" (sends no track), "delete" (ends the session), "close" (the
  /// connection).
  void command(const std::string& name) {
    const std::lock_guard lock(m_mutex);
    m_command = name;
  }
  /// What the page said last: status codes, or what failed.
  [[nodiscard]] std::string said() const {
    const std::lock_guard lock(m_mutex);
    return m_said;
  }

 private:
  static std::string header(SoupServerMessage* message, const char* name) {
    const char* value = soup_message_headers_get_one(soup_server_message_get_request_headers(message), name);
    return value != nullptr ? value : "";
  }
  static void onRequest(SoupServer*, SoupServerMessage* message, const char* path, GHashTable*,
                        gpointer data) {
    auto& self = *static_cast<PublishingPage*>(data);
    const SoupMessageBody* body = soup_server_message_get_request_body(message);
    const std::string text(body->data != nullptr ? body->data : "", static_cast<std::size_t>(body->length));
    const WhipResponse response =
        self.answer({soup_server_message_get_method(message), path, header(message, "Content-Type"), text});
    soup_server_message_set_status(message, static_cast<guint>(response.status), nullptr);
    auto* headers = soup_server_message_get_response_headers(message);
    for (const auto& [name, value] : response.headers)
      soup_message_headers_replace(headers, name.c_str(), value.c_str());
    soup_message_body_append(soup_server_message_get_response_body(message), SOUP_MEMORY_COPY,
                             response.body.data(), response.body.size());
  }
  WhipResponse answer(const WhipRequest& request) {
    if (request.path.starts_with("/whip")) return m_endpoint.handle(request, "ann");
    if (request.path == "/") return {200, {{"Content-Type", "text/html"}}, kPage};
    const std::lock_guard lock(m_mutex);
    if (request.path == "/said") m_said = request.body;
    if (request.path == "/command") return {200, {}, std::exchange(m_command, "")};
    return {200, {}, ""};
  }

  static constexpr const char* kPage = R"(<!doctype html><body><script>
const say = text => fetch('/said', {method: 'POST', body: text});
(async () => {
  try {
    const codec = 'video/' + location.search.slice(1);
    const stream = await navigator.mediaDevices.getUserMedia({audio: true, video: {width: 640, height: 360}});
    const pc = new RTCPeerConnection({bundlePolicy: 'max-bundle'});
    for (const track of stream.getTracks()) {
      const transceiver = pc.addTransceiver(track, {direction: 'sendonly', streams: [stream]});
      if (track.kind !== 'video') continue;
      const all = RTCRtpSender.getCapabilities('video').codecs;
      transceiver.setCodecPreferences(all.filter(c => c.mimeType === codec || c.mimeType === 'video/rtx'));
    }
    await pc.setLocalDescription();
    while (pc.iceGatheringState !== 'complete') await new Promise(r => setTimeout(r, 10));
    const response = await fetch('/whip', {method: 'POST', body: pc.localDescription.sdp,
                                           headers: {'Content-Type': 'application/sdp'}});
    const answer = await response.text();
    await say('posted ' + response.status + ' ' + answer);
    await pc.setRemoteDescription({type: 'answer', sdp: answer});
    for (;;) {
      const command = await (await fetch('/command')).text();
      if (command === 'silence') for (const sender of pc.getSenders()) await sender.replaceTrack(null);
      if (command === 'close') pc.close();
      if (command === 'delete')
        await say('deleted ' + (await fetch(response.headers.get('Location'),
                                            {method: 'DELETE'})).status);
      await new Promise(r => setTimeout(r, 50));
    }
  } catch (e) { await say('failed: ' + e); }
})();
</script>)";

  WhipEndpoint& m_endpoint;
  mutable std::mutex m_mutex;
  std::string m_command, m_said;                      // guarded by m_mutex
  PageServer m_server{"whip-page", onRequest, this};  // declared last: it goes first
};

}  // namespace tactus::media
