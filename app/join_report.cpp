// SPDX-License-Identifier: Apache-2.0
#include "app/join_report.h"

#include <QJsonArray>

#include "app/stage_report.h"
#include "core/periodic/trace/format.h"
#include "ui/models/text.h"

namespace tactus::app {
namespace {

using conference::AttendanceReport;
using conference::ReceivedStream;
using conference::RoomPhase;
using periodic::format;
using periodic::inMilliseconds;

const char* nameOf(RoomPhase phase) {
  switch (phase) {
    case RoomPhase::Idle:
      return "idle";
    case RoomPhase::Joining:
      return "joining";
    case RoomPhase::Waiting:
      return "waiting";
    case RoomPhase::Joined:
      return "joined";
    case RoomPhase::Reconnecting:
      return "reconnecting";
    case RoomPhase::Ended:
      break;
  }
  return "ended";
}

qint64 count(std::uint64_t value) {
  return static_cast<qint64>(value);
}

QJsonArray stagesJson(const std::vector<periodic::TaskReport>& stages) {
  QJsonArray array;
  for (const auto& each : stages) array.append(stageJson(each));
  return array;
}

QJsonObject pathJson(const net::BandwidthEstimate& path) {
  return {{"target", static_cast<qint64>(path.target.bits())},
          {"capacity", static_cast<qint64>(path.capacity.bits())},
          {"received", static_cast<qint64>(path.received.bits())},
          {"queueing_ms", inMilliseconds(path.queueing)},
          {"loss", path.loss},
          {"state", net::nameOf(path.state)},
          {"cause", net::nameOf(path.cause)}};
}

QJsonObject sentJson(const AttendanceReport& attended) {
  const auto& sent = attended.sent;
  QJsonArray tracks;
  for (const auto& track : sent.tracks)
    tracks.append(QJsonObject{{"cid", ui::text(track.cid)},
                              {"width", track.size.width},
                              {"height", track.size.height},
                              {"paused", track.paused},
                              {"captured", count(track.captured)},
                              {"encoded", count(track.encoded)},
                              {"sent", count(track.sent)},
                              {"keyframes", count(track.keyframes)},
                              {"keyframes_asked", count(track.keyframesAsked)},
                              {"rate", static_cast<qint64>(track.rate.bits())}});
  return {{"state", media::nameOf(sent.state)},
          {"why", ui::text(sent.why)},
          {"tracks", tracks},
          {"packets", count(sent.rtp.packetsSent)},
          {"bytes", count(sent.rtp.bytesSent)},
          {"nacks", count(sent.rtp.nacksReceived)},
          {"loss", sent.rtp.lossThere},
          {"round_trip_ms", inMilliseconds(sent.rtp.roundTrip)},
          {"path", sent.path ? pathJson(*sent.path) : QJsonValue()},
          {"stages", stagesJson(attended.stages)}};
}

QJsonObject soundJson(const media::IncomingSound::Figures& figures) {
  QJsonObject sound{{"packets", count(figures.packets)},
                    {"played_ms", inMilliseconds(figures.played)},
                    {"concealed_ms", inMilliseconds(figures.concealed)},
                    {"delay_ms", inMilliseconds(figures.delay)}};
  if (const auto& output = figures.output)
    sound.insert("output", QJsonObject{{"connected", output->connected},
                                       {"why", ui::text(output->why)},
                                       {"underruns", count(output->underruns)},
                                       {"overflows", count(output->overflows)},
                                       {"waits_ms", inMilliseconds(output->waits)},
                                       {"device_ms", inMilliseconds(output->device)}});
  return sound;
}

QJsonObject receivedJson(const ReceivedStream& received, periodic::TimePoint began) {
  const auto& call = received.call;
  const auto& shown = call.pictures.shown;
  QJsonObject pictures{{"received", count(call.pictures.received)},
                       {"shed", count(call.pictures.shed)},
                       {"decoded", count(call.pictures.decoded)},
                       {"late", count(call.pictures.late)},
                       {"shown", count(shown.shown)},
                       {"missed", count(shown.missed)},
                       {"freezes", count(shown.freezes)},
                       {"frozen_ms", inMilliseconds(shown.frozen)},
                       {"longest_gap_ms", inMilliseconds(shown.longest)},
                       {"keyframes_asked", count(call.pictures.keyframesAsked)}};
  QJsonObject sizes;
  for (const auto& [size, times] : received.pictures.sizes)
    sizes.insert(ui::text(format("%dx%d", size.width, size.height)), count(times));
  pictures.insert("sizes", sizes);
  if (received.pictures.first)
    pictures.insert("first_ms", inMilliseconds(*received.pictures.first - began));  // after the join began
  if (received.pictures.stamped > 0) {
    pictures.insert("age_ms", inMilliseconds(received.pictures.delay));  // of test pictures, mean
    pictures.insert("recent_age_ms", inMilliseconds(received.pictures.recentDelay));
    pictures.insert("longest_age_ms", inMilliseconds(received.pictures.longestDelay));
  }
  QJsonObject window;
  if (received.window) window = windowJson(*received.window);
  return {{"participant", ui::text(received.participant)},
          {"stream", ui::text(conference::nameOf(received.name))},
          {"present", received.present},
          {"state", media::nameOf(call.state)},
          {"why", ui::text(call.why)},
          {"pictures", pictures},
          {"sound", soundJson(call.sound)},
          {"lost", count(call.lost)},
          {"jitter_ms", inMilliseconds(call.jitter)},
          {"delay_ms", inMilliseconds(call.delay)},
          {"window", window},
          {"stages", stagesJson(received.stages)}};
}

std::string textOf(const ReceivedStream& received) {
  const auto& call = received.call;
  return format(
      "  %s, %s%s: %llu pictures shown, %llu missed, %llu freezes; sound %.1f s, %.1f s concealed; %llu "
      "packets "
      "lost, jitter %.1f ms, delay %.0f ms\n",
      received.participant.c_str(), std::string(conference::nameOf(received.name)).c_str(),
      received.present ? "" : " (gone)", static_cast<unsigned long long>(call.pictures.shown.shown),
      static_cast<unsigned long long>(call.pictures.shown.missed),
      static_cast<unsigned long long>(call.pictures.shown.freezes), periodic::inSeconds(call.sound.played),
      periodic::inSeconds(call.sound.concealed), static_cast<unsigned long long>(call.lost),
      inMilliseconds(call.jitter), inMilliseconds(call.delay));
}

}  // namespace

QJsonObject attendanceJson(const AttendanceReport& attended) {
  QJsonArray received;
  for (const auto& each : attended.received) received.append(receivedJson(each, attended.began));
  QJsonObject object{{"phase", nameOf(attended.phase)},  {"name", ui::text(attended.name)},
                     {"others", count(attended.others)}, {"chat_lines", count(attended.chatLines)},
                     {"sent", sentJson(attended)},       {"received", received}};
  if (attended.end) object.insert("end", ui::text(attended.end->sentence));
  return object;
}

std::string attendanceText(const AttendanceReport& attended) {
  std::string text =
      format("Room as %s: %s, %zu others.\n", attended.name.c_str(), nameOf(attended.phase), attended.others);
  for (const auto& track : attended.sent.tracks)
    text +=
        format("  sent, %s: %llu captured, %llu encoded, %llu sent\n", track.cid.c_str(),
               static_cast<unsigned long long>(track.captured),
               static_cast<unsigned long long>(track.encoded), static_cast<unsigned long long>(track.sent));
  for (const auto& each : attended.received) {
    text += textOf(each);
    if (each.window && !each.window->sentence.empty()) text += "    " + each.window->sentence + "\n";
  }
  return text;
}

}  // namespace tactus::app
