// SPDX-License-Identifier: Apache-2.0
#include "media/stage/stage_adopter.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "core/periodic/kernel/thread_clock.h"

namespace tactus::media {
namespace {

using periodic::Stage;

/// The rate at which an output's thread fills segments of the device's ring, of 10 ms each.
constexpr periodic::Rate kRingSegments = periodic::Rate::perSecond(100);

/// Until its first packet tells more: reading and demuxing deserve a class, since everything waits for them,
/// but the longest period.
periodic::TaskContract sourceContract(GstElement* owner) {
  GstElementFactory* factory = owner != nullptr ? gst_element_get_factory(owner) : nullptr;
  const bool output = factory != nullptr &&
                      gst_element_factory_list_is_type(
                          factory, GST_ELEMENT_FACTORY_TYPE_SINK | GST_ELEMENT_FACTORY_TYPE_MEDIA_AUDIO);
  auto contract = periodic::contractOf(output ? Stage::Audio : Stage::Source);
  contract.enforces = false;  // it reads when there is room
  contract.early = periodic::EarlyPackets::Clocked;
  if (output) {
    contract.name = "audio output";
    contract.lbap.rate = kRingSegments;
  } else if (factory != nullptr) {
    contract.name += std::string(" (") + gst_plugin_feature_get_name(GST_PLUGIN_FEATURE(factory)) + ")";
  }
  return contract;
}

/// Both distributions together; of quantiles that cannot be told from these figures, the worse.
void addTo(periodic::DurationHistogram::Snapshot& sum, const periodic::DurationHistogram::Snapshot& more) {
  if (more.count == 0) return;
  if (sum.count == 0) {
    sum = more;
    return;
  }
  const auto count = static_cast<std::int64_t>(sum.count);
  const auto added = static_cast<std::int64_t>(more.count);
  sum.mean = (sum.mean * count + more.mean * added) / (count + added);
  if (added > count) sum.p50 = more.p50;
  sum.count += more.count;
  sum.minimum = std::min(sum.minimum, more.minimum);
  sum.maximum = std::max(sum.maximum, more.maximum);
  sum.p1 = std::min(sum.p1, more.p1);
  sum.p99 = std::max(sum.p99, more.p99);
  sum.p999 = std::max(sum.p999, more.p999);
}

void addTo(periodic::TaskStatistics& sum, const periodic::TaskStatistics& more) {
  sum.packets += more.packets;
  sum.completed += more.completed;
  sum.misses += more.misses;
  sum.violations += more.violations;
  sum.demotions += more.demotions;
  sum.overruns += more.overruns;
  sum.cpuTime += more.cpuTime;
  addTo(sum.laxity, more.laxity);
  addTo(sum.responseTime, more.responseTime);
  addTo(sum.waited, more.waited);
  if (more.processing) sum.processing = more.processing;
}

}  // namespace

void StageAdopter::onStreamStatus(GstMessage* message) {
  GstStreamStatusType type{};
  GstElement* owner = nullptr;
  gst_message_parse_stream_status(message, &type, &owner);
  const pid_t tid = periodic::currentThreadId();
  const std::lock_guard lock(m_mutex);
  if (type == GST_STREAM_STATUS_TYPE_ENTER) (void)adoptLocked(sourceContract(owner), tid);
  if (type == GST_STREAM_STATUS_TYPE_LEAVE) leaveLocked(tid);
}

void StageAdopter::leave() {
  const std::lock_guard lock(m_mutex);
  leaveLocked(periodic::currentThreadId());
}

/// It may go back to a pool: it must not take its class along.
void StageAdopter::leaveLocked(pid_t tid) {
  const auto found = m_tasks.find(tid);
  if (found == m_tasks.end()) return;
  retireLocked(found->second);
  m_tasks.erase(found);
  m_retirements.fetch_add(1, std::memory_order_relaxed);
}

std::shared_ptr<periodic::Task> StageAdopter::adoptLocked(periodic::TaskContract contract, pid_t tid) {
  const Stage stage = contract.stage;
  servicePatchLocked(stage).applyTo(contract);
  if (!m_label.empty()) contract.name = m_label + ": " + contract.name;
  if (contract.service == periodic::ServiceClass::Guaranteed && !m_scheduler.wouldReserve(contract).ok())
    contract.service = periodic::ServiceClass::Statistical;  // the next best, and not nothing
  auto adopted = m_scheduler.adopt(std::move(contract), tid);
  if (!adopted.ok()) return nullptr;
  std::shared_ptr<periodic::Task> task = std::move(adopted).value();
  if (m_interrupted) task->interrupt();
  m_tasks[tid] = {task, stage};
  return task;
}

void StageAdopter::retireLocked(const Adopted& adopted) {
  periodic::TaskReport report = adopted.task->report();
  adopted.task->bind(0);  // somebody may still share the task; the thread must be free of it all the same
  report.tid = 0;
  report.kernelClass = periodic::KernelClass::None;
  report.priority = 0;
  if (report.statistics.packets == 0 && report.statistics.cpuTime < std::chrono::milliseconds(1)) return;
  const auto same = std::find_if(m_ended.begin(), m_ended.end(), [&](const auto& ended) {
    return ended.contract.stage == report.contract.stage && ended.contract.name == report.contract.name;
  });
  if (same == m_ended.end()) {
    m_ended.push_back(std::move(report));
  } else {
    addTo(same->statistics, report.statistics);
  }
}

std::shared_ptr<periodic::Task> StageAdopter::takeOver(periodic::TaskContract contract) {
  const pid_t tid = periodic::currentThreadId();
  const std::lock_guard lock(m_mutex);
  if (const auto found = m_tasks.find(tid); found != m_tasks.end()) {
    if (found->second.stage == contract.stage) return found->second.task;
    found->second.task->bind(0);
    m_tasks.erase(found);
  }
  return adoptLocked(std::move(contract), tid);
}

bool StageAdopter::has(pid_t tid) const {
  const std::lock_guard lock(m_mutex);
  return m_tasks.contains(tid);
}

void StageAdopter::interruptAll() noexcept {
  const std::lock_guard lock(m_mutex);
  m_interrupted = true;
  for (auto& [tid, adopted] : m_tasks) adopted.task->interrupt();
}

void StageAdopter::resumeAll() noexcept {
  const std::lock_guard lock(m_mutex);
  m_interrupted = false;
  for (auto& [tid, adopted] : m_tasks) adopted.task->resume();
}

periodic::TaskCounters StageAdopter::counters(Stage stage) const {
  periodic::TaskCounters sum;
  const auto add = [&](const auto& figures) {
    sum.packets += figures.packets;
    sum.completed += figures.completed;
    sum.misses += figures.misses;
    sum.cpuTime += figures.cpuTime;
  };
  const std::lock_guard lock(m_mutex);
  for (const auto& ended : m_ended)
    if (ended.contract.stage == stage) add(ended.statistics);
  for (const auto& [tid, adopted] : m_tasks)
    if (adopted.stage == stage) add(adopted.task->counters());
  return sum;
}

periodic::Duration StageAdopter::waited(Stage stage) const {
  std::vector<pid_t> threads;
  {
    const std::lock_guard lock(m_mutex);
    for (const auto& [tid, adopted] : m_tasks)
      if (adopted.stage == stage) threads.push_back(tid);
  }
  periodic::Duration sum{0};
  for (const pid_t tid : threads) sum += periodic::waitTimeOf(tid);
  return sum;
}

periodic::ContractPatch StageAdopter::servicePatchLocked(Stage stage) const {
  const periodic::StageRow& row = periodic::rowOf(stage);
  periodic::ContractPatch patch;
  if (row.governed) {
    patch.service = m_service.service;
    patch.aboveOrdinary = m_service.aboveOrdinary;
  }
  if (row.shedding == periodic::Shedding::BeforeDecoding) patch.quantile = m_service.quantile;
  patch.cpus = m_service.cpus;
  patch.preferred = m_service.preferred || row.sound;
  return patch;
}

void StageAdopter::setService(StreamService service) {
  const std::lock_guard lock(m_mutex);
  m_service = std::move(service);
  for (auto& [tid, adopted] : m_tasks) {
    periodic::ContractPatch patch = servicePatchLocked(adopted.stage);
    if (adopted.task->amend(patch).ok() || patch.service != periodic::ServiceClass::Guaranteed) continue;
    patch.service = periodic::ServiceClass::Statistical;  // refused: the next best
    (void)adopted.task->amend(patch);                     // refused again: the old reservation stays
  }
}

std::vector<periodic::TaskReport> StageAdopter::report() const {
  const std::lock_guard lock(m_mutex);
  std::vector<periodic::TaskReport> reports = m_ended;
  for (const auto& [tid, adopted] : m_tasks) reports.push_back(adopted.task->report());
  std::stable_sort(reports.begin(), reports.end(),
                   [](const auto& a, const auto& b) { return a.contract.stage < b.contract.stage; });
  return reports;
}

}  // namespace tactus::media
