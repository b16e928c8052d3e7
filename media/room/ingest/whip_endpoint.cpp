// SPDX-License-Identifier: Apache-2.0
#include "media/room/ingest/whip_endpoint.h"

#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <string_view>

namespace tactus::media {
namespace {

constexpr const char* kSdp = "application/sdp";

bool equalsIgnoringCase(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

WhipResponse refusal(int status, const std::string& sentence) {
  return {status, {{"Content-Type", "text/plain; charset=utf-8"}}, sentence + "\n"};
}

WhipResponse notAllowed(const char* allowed) {
  WhipResponse response = refusal(405, std::string("Only ") + allowed + " are answered here.");
  response.headers.emplace_back("Allow", allowed);
  return response;
}

int statusOf(ErrorCode code) {
  switch (code) {
    case ErrorCode::Refused:
    case ErrorCode::Unavailable:
      return 503;
    case ErrorCode::Timeout:
      return 504;
    case ErrorCode::InvalidArgument:
      return 422;
    case ErrorCode::Corrupt:
      return 400;
    default:
      return 500;
  }
}

}  // namespace

std::string randomSessionName() {
  std::array<unsigned char, 16> bits{};
  // Fails for no request of at most 256 bytes (getrandom(2)); a name that can be guessed is worse than none.
  if (getrandom(bits.data(), bits.size(), 0) != static_cast<ssize_t>(bits.size())) std::abort();
  std::string name;
  for (const unsigned char byte : bits) {
    name += "0123456789abcdef"[byte >> 4];
    name += "0123456789abcdef"[byte & 15];
  }
  return name;
}

std::variant<PublishOffer, WhipResponse> postedOffer(const WhipRequest& post) {
  const std::string_view type = post.contentType;
  if (!equalsIgnoringCase(trimmed(type.substr(0, type.find(';'))), kSdp)) {
    WhipResponse response = refusal(415, "The body of the request must be of type application/sdp.");
    response.headers.emplace_back("Accept-Post", kSdp);
    return response;
  }
  if (post.body.empty()) return refusal(400, "The request has no body; it must be an SDP offer.");
  if (post.body.size() > PublishOffer::kLargest)
    return refusal(413, "The body has " + std::to_string(post.body.size()) + " bytes; at most " +
                            std::to_string(PublishOffer::kLargest) + " are read.");
  auto offer = readPublishOffer(post.body);
  if (!offer.ok()) return refusal(statusOf(offer.error().code), offer.error().message);
  return std::move(offer).value();
}

WhipResponse WhipEndpoint::handle(const WhipRequest& request, const std::string& publisher) {
  if (request.path == m_path) return handleEndpoint(request, publisher);
  const std::string start = m_path + "/";
  if (request.path.starts_with(start))
    return handleSession(request, publisher, request.path.substr(start.size()));
  return refusal(404, "There is nothing here.");
}

void WhipEndpoint::forget(const std::string& session) {
  const std::lock_guard lock(m_mutex);
  std::erase_if(m_sessions, [&](const auto& each) { return each.second == session; });
}

WhipResponse WhipEndpoint::handleEndpoint(const WhipRequest& request, const std::string& publisher) {
  // RFC 9725, 4.1: what can be posted, told without a token.
  if (request.method == "OPTIONS") return {204, {{"Allow", "POST, OPTIONS"}, {"Accept-Post", kSdp}}, ""};
  return request.method == "POST" ? post(request, publisher) : notAllowed("POST, OPTIONS");
}

WhipResponse WhipEndpoint::post(const WhipRequest& request, const std::string& publisher) {
  auto posted = postedOffer(request);
  if (auto* const refused = std::get_if<WhipResponse>(&posted)) return std::move(*refused);
  const std::string session = m_hooks.newSession();
  auto answer = m_hooks.publish(publisher, session, std::get<PublishOffer>(posted));
  if (!answer.ok()) return refusal(statusOf(answer.error().code), answer.error().message);
  std::string replaced;
  {
    const std::lock_guard lock(m_mutex);
    replaced = std::exchange(m_sessions[publisher], session);
  }
  if (!replaced.empty()) m_hooks.unpublish(replaced);
  return {201, {{"Content-Type", kSdp}, {"Location", m_path + "/" + session}}, std::move(answer).value()};
}

WhipResponse WhipEndpoint::handleSession(const WhipRequest& request, const std::string& publisher,
                                         const std::string& session) {
  constexpr const char* kAllowed = "DELETE, OPTIONS";
  if (request.method == "OPTIONS") return {204, {{"Allow", kAllowed}}, ""};
  {
    // Another's session and one that never was look the same.
    const std::lock_guard lock(m_mutex);
    const auto found = m_sessions.find(publisher);
    if (found == m_sessions.end() || found->second != session)
      return refusal(404, "There is no such session.");
    // RFC 9725, 4.3: without trickle ICE and restarts PATCH is not allowed.
    if (request.method != "DELETE") return notAllowed(kAllowed);
    m_sessions.erase(found);
  }
  m_hooks.unpublish(session);
  return {200, {}, ""};
}

}  // namespace tactus::media
