// SPDX-License-Identifier: Apache-2.0
#pragma once

// Only for tests.

#include <libsoup/soup.h>

#include <functional>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>

#include "media/room/page_server_fixture.h"

namespace tactus::media {

/// A page that subscribes by WHEP and says again and again what it sees and hears, on a server of the
/// loopback device.
class WhepPage {
 public:
  /// Answers an offer; empty: refuses it.
  using Answering = std::function<std::string(const std::string& offer)>;
  explicit WhepPage(Answering answering) : m_answering(std::move(answering)) {}
  ~WhepPage() = default;
  WhepPage(const WhepPage&) = delete;
  WhepPage& operator=(const WhepPage&) = delete;

  [[nodiscard]] std::string address() const { return m_server.address(); }
  /// A number of the last report; 0 if there was none.
  [[nodiscard]] double number(const std::string& name) const {
    const std::lock_guard lock(m_mutex);
    return m_report.value(name, 0.0);
  }
  [[nodiscard]] std::string report() const {
    const std::lock_guard lock(m_mutex);
    return m_report.dump();
  }

 private:
  static void handle(SoupServer*, SoupServerMessage* message, const char* path, GHashTable*, gpointer self) {
    auto& page = *static_cast<WhepPage*>(self);
    const SoupMessageBody* const body = soup_server_message_get_request_body(message);
    const std::string text(body->data != nullptr ? body->data : "", static_cast<std::size_t>(body->length));
    const std::string what = path;
    std::string answer;
    if (what == "/whep") answer = page.m_answering(text);
    if (what == "/report") {
      const std::lock_guard lock(page.m_mutex);
      page.m_report = nlohmann::json::parse(text, nullptr, false);
    }
    if (what == "/") answer = kPage;
    soup_server_message_set_status(message, what == "/whep" && answer.empty() ? 400 : 200, nullptr);
    soup_server_message_set_response(message, what == "/" ? "text/html" : "application/sdp", SOUP_MEMORY_COPY,
                                     answer.data(), answer.size());
  }

  static constexpr const char* kPage =
      R"(<!doctype html><body><video id=v autoplay playsinline></video><script>
const report = {};
const post = (where, body) => fetch(where, {method: 'POST', body});
async function look(pc) {
  for (const s of (await pc.getStats()).values()) {
    if (s.type === 'inbound-rtp' && s.kind === 'video')
      Object.assign(report, {frames: s.framesDecoded || 0, lost: s.packetsLost,
                             again: s.retransmittedPacketsReceived || 0, freezes: s.freezeCount || 0,
                             keyframes: s.keyFramesDecoded || 0});
    if (s.type === 'inbound-rtp' && s.kind === 'audio')
      Object.assign(report, {energy: s.totalAudioEnergy || 0, packets: s.packetsReceived});
  }
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 1;
  const context = canvas.getContext('2d');
  context.drawImage(v, 0, 0, 1, 1);
  [report.red, report.green, report.blue] = context.getImageData(0, 0, 1, 1).data;
  report.connected = pc.connectionState === 'connected' ? 1 : 0;
  await post('/report', JSON.stringify(report));
}
(async () => {
  try {
    const pc = new RTCPeerConnection();
    const stream = new MediaStream();
    v.srcObject = stream;
    pc.ontrack = e => stream.addTrack(e.track);
    pc.addTransceiver('video', {direction: 'recvonly'});
    pc.addTransceiver('audio', {direction: 'recvonly'});
    await pc.setLocalDescription(await pc.createOffer());
    while (pc.iceGatheringState !== 'complete') await new Promise(r => setTimeout(r, 10));
    const answer = await (await post('/whep', pc.localDescription.sdp)).text();
    await pc.setRemoteDescription({type: 'answer', sdp: answer});
    for (;;) {
      await look(pc);
      await new Promise(r => setTimeout(r, 50));
    }
  } catch (e) {
    report.error = String(e);
    await post('/report', JSON.stringify(report));
  }
})();
</script>)";

  const Answering m_answering;
  mutable std::mutex m_mutex;  // guards the report
  nlohmann::json m_report = nlohmann::json::object();
  PageServer m_server{"whep-page", handle, this};  // declared last: it goes first
};

}  // namespace tactus::media
