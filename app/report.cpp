// SPDX-License-Identifier: Apache-2.0
#include "app/report.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <cstdio>

#include "app/join_report.h"
#include "app/network_report.h"
#include "app/stage_report.h"
#include "ui/models/text.h"

namespace tactus::app {
namespace {

using periodic::DurationHistogram;
using periodic::TaskReport;
using plugins::DropReason;

constexpr std::size_t kReasons = static_cast<std::size_t>(DropReason::Count_);

double cpuPerPacket(const TaskReport& task) {
  if (task.statistics.packets == 0) return 0;
  return periodic::inMilliseconds(task.statistics.cpuTime) / static_cast<double>(task.statistics.packets);
}

/// Percentiles of a laxity are read from its bad end: 99 % of the packets had at least `p99`.
QJsonObject laxityJson(const DurationHistogram::Snapshot& laxity) {
  return {{"p50", periodic::inMilliseconds(laxity.p50)},
          {"p99", periodic::inMilliseconds(laxity.p1)},
          {"worst", periodic::inMilliseconds(laxity.minimum)}};
}

QJsonObject timeJson(const DurationHistogram::Snapshot& time) {
  return {{"p50", periodic::inMilliseconds(time.p50)},
          {"p99", periodic::inMilliseconds(time.p99)},
          {"p999", periodic::inMilliseconds(time.p999)},
          {"worst", periodic::inMilliseconds(time.maximum)}};
}

QJsonObject reservationJson(const TaskReport& task) {
  QJsonArray parts;
  for (const auto& part : task.parts) {
    parts.append(QJsonObject{
        {"cpu", part.cpu},
        {"level", part.level},
        {"period_ms", periodic::inMilliseconds(part.demand.period)},
        {"processing_ms", periodic::inMilliseconds(part.demand.processing)},
        {"deadline_ms", periodic::inMilliseconds(part.demand.deadline)},
        {"worst_response_ms", periodic::inMilliseconds(part.response)},
    });
  }
  QJsonObject object{{"held", task.reserved},
                     {"service", ui::text(nameOf(task.contract.service))},
                     {"share", shareOf(task.parts)},
                     {"budget", task.budgetBySignal ? "signal" : "watchdog"},
                     {"overruns", static_cast<qint64>(task.statistics.overruns)},
                     {"parts", parts}};
  if (!task.refusal.empty()) object.insert("refusal", ui::text(task.refusal));
  if (task.statistics.processing) {
    object.insert("learned_ms",
                  QJsonObject{{"typical", periodic::inMilliseconds(task.statistics.processing->typical)},
                              {"worst", periodic::inMilliseconds(task.statistics.processing->worst)}});
  }
  return object;
}

}  // namespace

QJsonObject stageJson(const TaskReport& task) {
  const auto& figures = task.statistics;
  return {{"name", ui::text(task.contract.name)},
          {"stage", ui::text(nameOf(task.contract.stage))},
          {"rate", task.contract.lbap.rate.perSecond()},
          {"workahead", static_cast<qint64>(task.contract.lbap.workahead)},
          {"packets", static_cast<qint64>(figures.packets)},
          {"completed", static_cast<qint64>(figures.completed)},
          {"misses", static_cast<qint64>(figures.misses)},
          {"violations", static_cast<qint64>(figures.violations)},
          {"demotions", static_cast<qint64>(figures.demotions)},
          {"laxity_ms", laxityJson(figures.laxity)},
          {"response_ms", timeJson(figures.responseTime)},
          {"cpu_per_packet_ms", cpuPerPacket(task)},
          {"workers", task.workers},
          {"kernel_class", ui::text(nameOf(task.kernelClass))},
          {"priority", task.priority},
          {"reservation", reservationJson(task)}};
}

namespace {

QString nameOf(media::SourceLimit::Place place) {
  using Place = media::SourceLimit::Place;
  switch (place) {
    case Place::OwnLine:
      return QStringLiteral("own_line");
    case Place::TheirLine:
      return QStringLiteral("their_line");
    case Place::TheirComputer:
      return QStringLiteral("their_computer");
    case Place::TheirProgram:
      return QStringLiteral("their_program");
    case Place::None:
      break;
  }
  return QStringLiteral("none");
}

QString nameOf(media::SourceLimit::Shown shown) {
  using Shown = media::SourceLimit::Shown;
  switch (shown) {
    case Shown::SmallerPicture:
      return QStringLiteral("smaller");
    case Shown::FewerPictures:
      return QStringLiteral("fewer");
    case Shown::NoPicture:
      return QStringLiteral("none");
    case Shown::Whole:
      break;
  }
  return QStringLiteral("whole");
}

QJsonObject limitJson(const media::SourceLimit& limit) {
  QJsonObject object{{"place", nameOf(limit.place)}, {"shown", nameOf(limit.shown)}};
  if (limit.carried) object.insert("carried", *limit.carried);
  if (limit.lost > 0) object.insert("lost", limit.lost);
  return object;
}

}  // namespace

QJsonObject windowJson(const media::WindowState& window) {
  QJsonObject object{{"name", ui::text(window.terms.name)},
                     {"priority", ui::text(nameOf(window.terms.priority))},
                     {"f_min", window.terms.numbers().leastFrequency},
                     {"weight", window.terms.numbers().weight},
                     {"class", ui::text(nameOf(window.terms.numbers().service))},
                     {"frequency", window.thinning.frequency},
                     {"keyframes_only", window.thinning.lastRung},
                     {"size", window.thinning.size},
                     {"load", window.load},
                     {"cause", ui::text(nameOf(window.cause))},
                     {"sentence", ui::text(window.sentence)},
                     {"refusal", ui::text(window.refusal ? window.refusal->sentence : std::string())}};
  if (window.limit.place != media::SourceLimit::Place::None) object.insert("limit", limitJson(window.limit));
  if (window.playout) {
    object.insert("playout_ms", periodic::inMilliseconds(*window.playout));
    object.insert("longest_playout_ms", periodic::inMilliseconds(window.longestPlayout));
  }
  return object;
}

namespace {

QJsonObject startJson(const media::StartTimes& start) {
  QJsonObject object;
  const auto put = [&](const char* name, const std::optional<periodic::Duration>& time) {
    if (time) object.insert(name, periodic::inMilliseconds(*time));
  };
  put("type_found", start.typeFound);
  put("decoder_ready", start.decoderReady);
  put("first_decoded", start.firstDecoded);
  put("first_shown", start.firstShown);
  return object;
}

QJsonObject qosJson(const periodic::QosEvent& event) {
  return {{"event", ui::text(nameOf(event.kind))},
          {"window", ui::text(event.name)},
          {"cause", ui::text(nameOf(event.cause))},
          {"frequency", event.frequency},
          {"misses", static_cast<qint64>(event.misses)},
          {"time_s", periodic::inSeconds(event.at.time_since_epoch())},
          {"sentence", ui::text(event.sentence)}};
}

bool isShed(DropReason reason) {
  return reason == DropReason::ShedBeforeDecoding || reason == DropReason::ShedBeforeConversion ||
         reason == DropReason::ShedToKeyframe;
}

QJsonObject itemJson(const PlayedItem& item) {
  const auto& figures = item.statistics;
  QJsonObject dropped;
  for (std::size_t i = 0; i < kReasons; ++i) {
    dropped.insert(nameOf(static_cast<DropReason>(i)), static_cast<qint64>(figures.dropped[i]));
  }
  QJsonArray stages;
  for (const auto& task : figures.stages) stages.append(stageJson(task));
  QJsonObject object{{"uri", ui::text(item.info.uri)},
                     {"title", ui::text(item.info.title)},
                     {"outcome", ui::text(item.outcome)},
                     {"engine", ui::text(figures.engine)},
                     {"hwdec", ui::text(figures.device)},
                     {"hwdec_refusal", ui::text(figures.whyNoDevice)},
                     {"played_s", periodic::inSeconds(item.played)},
                     {"width", item.info.width},
                     {"height", item.info.height},
                     {"nominal_fps", figures.nominalRate},
                     {"presented_fps", figures.presentedRate},
                     {"frames_in", static_cast<qint64>(figures.decoded)},
                     {"presented", static_cast<qint64>(figures.presented)},
                     {"dropped", dropped},
                     {"audio", QJsonObject{{"connected", figures.audioConnected},
                                           {"reason", ui::text(figures.audioReason)},
                                           {"underruns", static_cast<qint64>(figures.audioUnderruns)}}},
                     {"start_ms", startJson(figures.start)},
                     {"scaled", QJsonObject{{"fast", static_cast<qint64>(figures.scaled[0])},
                                            {"good", static_cast<qint64>(figures.scaled[1])},
                                            {"best", static_cast<qint64>(figures.scaled[2])}}},
                     {"picture_queue", QJsonObject{{"pictures", figures.queue.pictures},
                                                   {"bytes", static_cast<qint64>(figures.queue.bytes)}}},
                     {"memory_bytes", static_cast<qint64>(figures.memory)},
                     {"stages", stages},
                     {"violations", static_cast<qint64>(violationsOf(item))}};
  if (item.window) object.insert("window", windowJson(*item.window));
  if (item.info.duration) object.insert("duration_s", periodic::inSeconds(*item.info.duration));
  return object;
}

template <typename... Values>
std::string format(const char* pattern, Values... values) {
  char line[512];
  std::snprintf(line, sizeof line, pattern, values...);
  return line;
}

std::string stageText(const TaskReport& task) {
  const auto& figures = task.statistics;
  return format("  %-28.28s %7llu %6llu %9.2f %9.2f %9.2f %9.2f %9.3f  %s%s\n", task.contract.name.c_str(),
                static_cast<unsigned long long>(figures.packets),
                static_cast<unsigned long long>(figures.misses), periodic::inMilliseconds(figures.laxity.p50),
                periodic::inMilliseconds(figures.laxity.p1), periodic::inMilliseconds(figures.laxity.minimum),
                periodic::inMilliseconds(figures.responseTime.p99), cpuPerPacket(task),
                std::string(nameOf(task.kernelClass)).c_str(),
                task.priority > 0 ? (" " + std::to_string(task.priority)).c_str() : "");
}

/// One line of the table of reservations.
std::string reservationText(const TaskReport& task) {
  if (!task.reserved) {
    return task.refusal.empty() ? std::string()
                                : format("  %-28.28s %s\n", task.contract.name.c_str(), task.refusal.c_str());
  }
  std::string cpus;
  for (const auto& part : task.parts) cpus += (cpus.empty() ? "" : ",") + std::to_string(part.cpu);
  const auto& part = task.parts.front();
  return format("  %-28.28s %-12s %8.3g %9.2f %8.1f %%  %-6s %5d %9.1f %9.1f %8llu\n",
                task.contract.name.c_str(), std::string(nameOf(task.contract.service)).c_str(),
                task.contract.lbap.rate.perSecond(), periodic::inMilliseconds(part.demand.processing),
                shareOf(task.parts) * 100, cpus.c_str(), part.level,
                periodic::inMilliseconds(part.demand.deadline), periodic::inMilliseconds(part.response),
                static_cast<unsigned long long>(task.statistics.overruns));
}

std::string itemText(const PlayedItem& item) {
  const auto& figures = item.statistics;
  std::string text = item.info.title.empty() ? item.info.uri : item.info.title;
  text += ": " + item.outcome + "\n";
  text += format("  %llu pictures decoded, %llu presented in %.1f s (nominal %.3g fps), %s\n",
                 static_cast<unsigned long long>(figures.decoded),
                 static_cast<unsigned long long>(figures.presented), periodic::inSeconds(item.played),
                 figures.nominalRate, figures.engine.c_str());
  for (std::size_t i = 0; i < kReasons; ++i) {
    if (figures.dropped[i] == 0) continue;
    text += format("  %llu dropped: %s\n", static_cast<unsigned long long>(figures.dropped[i]),
                   nameOf(static_cast<DropReason>(i)));
  }
  if (item.window) {
    text += format("  %s, shows %.0f %% of its pictures%s%s\n",
                   std::string(nameOf(item.window->terms.priority)).c_str(),
                   item.window->thinning.frequency * 100, item.window->sentence.empty() ? "" : ": ",
                   item.window->sentence.c_str());
  }
  if (!figures.audioReason.empty()) text += "  no sound: " + figures.audioReason + "\n";
  if (figures.start.firstShown) {
    text += format("  first picture after %.0f ms\n", periodic::inMilliseconds(*figures.start.firstShown));
  }
  text +=
      "  stage                        packets misses  laxity50  laxity99     worst  response  CPU/pkt  "
      "class\n";
  for (const auto& task : figures.stages) text += stageText(task);
  text +=
      "  reserved                     service          rate       ms      share  CPU    level  deadline  "
      "response "
      "overruns\n";
  for (const auto& task : figures.stages) text += reservationText(task);
  if (figures.memory > 0)
    text += "  memory promised: " + periodic::bytesInWords(static_cast<double>(figures.memory)) + "\n";
  if (figures.queue.bytes > 0) {
    text += format("  queue of decoded pictures: %d, %.1f MB\n", figures.queue.pictures,
                   static_cast<double>(figures.queue.bytes) * 1e-6);
  }
  return text;
}

QJsonObject roomJson(const RoomReport& room) {
  return {{"name", ui::text(room.name)},
          {"came", static_cast<qint64>(room.came)},
          {"most", static_cast<qint64>(room.most)},
          {"lasted_ms", periodic::inMilliseconds(room.lasted)}};
}

std::string roomText(const RoomReport& room) {
  return format("Room '%s': %llu came, at most %zu at a time, open for %.0f s.\n", room.name.c_str(),
                static_cast<unsigned long long>(room.came), room.most, periodic::inSeconds(room.lasted));
}

}  // namespace

std::uint64_t violationsOf(const PlayedItem& item) {
  std::uint64_t count = 0;
  for (const auto& task : item.statistics.stages) count += task.statistics.misses;
  for (std::size_t i = 0; i < kReasons; ++i) {
    const auto reason = static_cast<DropReason>(i);
    if (reason != DropReason::Hidden && !isShed(reason)) count += item.statistics.dropped[i];
  }
  return count;
}

std::string toJson(const RunReport& report) {
  QJsonArray items;
  std::uint64_t violations = 0;
  for (const auto& item : report.items) {
    items.append(itemJson(item));
    violations += violationsOf(item);
  }
  QJsonArray refusals;
  for (const auto& refusal : report.refusals) {
    refusals.append(
        QJsonObject{{"class", ui::text(nameOf(refusal.wanted))}, {"reason", ui::text(refusal.reason)}});
  }
  QJsonArray qos;
  for (const auto& event : report.qos) qos.append(qosJson(event));
  QJsonArray events;
  for (const auto& event : report.events) events.append(ui::text(event));
  QJsonObject root{{"tactus", TACTUS_VERSION},
                   {"kernel_class", ui::text(nameOf(report.kernelClass))},
                   {"refused", refusals},
                   {"display", ui::text(report.display)},
                   {"violations", static_cast<qint64>(violations)},
                   {"items", items},
                   {"qos", qos},
                   {"network", networkJson(report.network)},
                   {"events", events}};
  if (report.room) root.insert("room", roomJson(*report.room));
  if (report.attended) root.insert("room", attendanceJson(*report.attended));
  return QJsonDocument(root).toJson(QJsonDocument::Indented).toStdString();
}

std::string toText(const RunReport& report) {
  std::string text;
  for (const auto& item : report.items) text += itemText(item);
  text += networkText(report.network);
  if (report.room) text += roomText(*report.room);
  if (report.attended) text += attendanceText(*report.attended);
  text += "Times in ms. Kernel class: " + std::string(nameOf(report.kernelClass)) + ".";
  for (const auto& refusal : report.refusals) {
    text += "\n  " + std::string(nameOf(refusal.wanted)) + " refused: " + refusal.reason;
  }
  text += "\n";
  for (const auto& event : report.events) text += "  " + event + "\n";
  return text;
}

std::string toJsonLine(const periodic::QosEvent& event) {
  return QJsonDocument(qosJson(event)).toJson(QJsonDocument::Compact).toStdString();
}

}  // namespace tactus::app
