// SPDX-License-Identifier: Apache-2.0
#include "core/net/link/link_task.h"

#include <cassert>
#include <cerrno>
#include <chrono>
#include <mutex>

namespace tactus::net {

using periodic::Duration;
using periodic::NextRelease;
using periodic::ResourceRefusal;
using periodic::TimePoint;

namespace {

using namespace std::chrono_literals;

constexpr std::size_t kBatch = 128;    // packets taken in one go
constexpr std::size_t kMostKept = 64;  // more than this, and nothing new is taken
constexpr Duration kRetry = 1ms;       // until a socket that was full is tried again

/// Its rate is that of the most runs of a link that is never idle: after each but the last of a train, what
/// is ahead takes half of kAhead at least. The burst is for packets that overtake.
periodic::TaskContract contractOf(const std::string& name) {
  periodic::TaskContract contract = periodic::contractOf(periodic::Stage::Send);
  contract.name = name;
  contract.lbap = {periodic::Rate::perSecond(2000), 4};
  contract.processing = 50us;
  contract.sporadic = true;
  contract.preferred = true;
  return contract;
}

}  // namespace

LinkFlow::LinkFlow(LinkFlow&& other) noexcept
    : m_link(std::exchange(other.m_link, nullptr)),
      m_id(std::exchange(other.m_id, FlowId::None)),
      m_counter(std::exchange(other.m_counter, nullptr)),
      m_share(std::move(other.m_share)) {}

LinkFlow& LinkFlow::operator=(LinkFlow&& other) noexcept {
  if (this == &other) return *this;
  close();
  m_link = std::exchange(other.m_link, nullptr);
  m_id = std::exchange(other.m_id, FlowId::None);
  m_counter = std::exchange(other.m_counter, nullptr);
  m_share = std::move(other.m_share);
  return *this;
}

Offered LinkFlow::offer(LinkRequest& request, std::optional<TimePoint> until) TACTUS_REALTIME {
  return m_link->offer(*this, request, until);
}

void LinkFlow::takeBack(LinkRequest& request) TACTUS_REALTIME {
  m_link->takeBack(request);
}

void LinkFlow::close() noexcept {
  if (m_link == nullptr) return;
  std::exchange(m_link, nullptr)->close(*this);
  m_share.giveBack();
}

Result<void> LinkFlow::setWeight(double weight) {
  const std::lock_guard lock(m_link->m_mutex);
  return m_link->m_link.setWeight(m_id, weight);
}

FlowFigures LinkFlow::figures() const {
  const std::lock_guard lock(m_link->m_mutex);
  return m_link->m_link.row(m_id).value().figures;
}

LinkTask::LinkTask(periodic::TimeSource& time, const Options& options)
    : m_time(time),
      m_share(std::make_shared<LinkShare>(options.name, options.rate)),
      m_link(options.rate),
      m_batch(kBatch) {
  m_sending.reserve(kBatch);
  m_kept.reserve(kBatch);
  m_told.reserve(2 * kBatch);
}

Result<std::unique_ptr<LinkTask>> LinkTask::start(periodic::Scheduler& scheduler, const Options& options) {
  std::unique_ptr<LinkTask> link(new LinkTask(scheduler.time(), options));
  auto thread = periodic::SporadicThread::start(scheduler, contractOf(options.name),
                                                [task = link.get()] { return task->serve(); });
  if (!thread.ok()) return thread.error();
  link->m_thread = std::move(thread).value();
  return link;
}

LinkTask::~LinkTask() {
  m_thread.reset();
  for (LinkRequest* each : m_kept) m_told.emplace_back(each, LinkOutcome{LinkOutcome::What::TakenBack});
  tell();
}

Result<LinkFlow, ResourceRefusal> LinkTask::open(const FlowSpec& spec) {
  periodic::HeldShares share;
  if (spec.contract) {
    const auto bits = static_cast<double>(spec.contract->rate.bits());
    auto held = periodic::HeldShares::hold({{m_share, {spec.name, bits}}});
    if (!held.ok()) return held.error();
    share = std::move(held).value();
  }
  LinkFlow flow;
  {
    const std::lock_guard lock(m_mutex);
    const auto added = m_link.add(spec);
    if (!added.ok()) {
      ResourceRefusal refusal;
      refusal.resource = std::string(m_share->name());
      refusal.sentence = added.error().message;
      return refusal;
    }
    flow.m_id = added.value();
    if (m_unused.empty()) m_unused.push_back(&m_counters.emplace_back(0u));
    flow.m_counter = m_unused.back();
    m_unused.pop_back();
  }
  flow.m_link = this;
  flow.m_share = std::move(share);
  return flow;
}

void LinkTask::setRate(BitRate rate) {
  m_share->setRate(rate);
  {
    const std::lock_guard lock(m_mutex);
    m_link.setRate(m_time.now(), rate);
  }
  m_thread->wake();
}

BitRate LinkTask::rate() const TACTUS_REALTIME {
  const std::lock_guard lock(m_mutex);
  return m_link.rate();
}

std::vector<FlowRow> LinkTask::rows() const {
  const std::lock_guard lock(m_mutex);
  return m_link.rows();
}

Offered LinkTask::offer(LinkFlow& flow, LinkRequest& request,
                        std::optional<TimePoint> until) TACTUS_REALTIME {
  assert(request.done != nullptr);
  bool due = false;
  {
    const std::lock_guard lock(m_mutex);
    const TimePoint now = m_time.now();
    if (m_link.offer(flow.m_id, request, now, until) == Offered::Full) return Offered::Full;
    request.m_counter = flow.m_counter;
    // relaxed: close() and the outcome take the lock after this.
    flow.m_counter->fetch_add(1, std::memory_order_relaxed);
    const TimePoint wanted = m_link.wakeAt();
    if (wanted >= m_planned) return Offered::Waits;
    due = wanted <= now;
    if (!due) m_planned = wanted;
  }
  if (due && m_serving.try_lock()) {
    pass();
    m_serving.unlock();
    const std::lock_guard lock(m_mutex);
    const TimePoint wanted = nextLook();
    if (wanted >= m_planned) return Offered::Waits;
    m_planned = wanted;
  }
  m_thread->wake();
  return Offered::Waits;
}

void LinkTask::takeBack(LinkRequest& request) TACTUS_REALTIME {
  {
    const std::lock_guard lock(m_mutex);
    if (!request.waits()) return;
    m_link.takeBack(request, m_time.now());
  }
  conclude(request, {LinkOutcome::What::TakenBack});
}

/// Tells an outcome. The request may be gone, or offered again, afterwards.
void LinkTask::conclude(LinkRequest& request, LinkOutcome outcome) TACTUS_REALTIME {
  std::atomic<std::uint32_t>* counter = request.m_counter;
  request.done(request, outcome);
  counter->fetch_sub(1, std::memory_order_release);  // release: see close()
  counter->notify_all();
}

void LinkTask::close(LinkFlow& flow) noexcept {
  for (;;) {
    LinkRequest* request = nullptr;
    {
      const std::lock_guard lock(m_mutex);
      request = static_cast<LinkRequest*>(m_link.first(flow.m_id));
      if (request == nullptr) break;
      m_link.takeBack(*request, m_time.now());
    }
    conclude(*request, {LinkOutcome::What::TakenBack});
  }
  // What is on its way has an outcome soon: a socket that takes nothing makes it late.
  // acquire: what `done` did is seen by whoever frees the request.
  for (std::uint32_t left = 0; (left = flow.m_counter->load(std::memory_order_acquire)) != 0;)
    flow.m_counter->wait(left, std::memory_order_acquire);
  const std::lock_guard lock(m_mutex);
  [[maybe_unused]] const auto removed = m_link.remove(flow.m_id);
  assert(removed.ok());
  m_unused.push_back(flow.m_counter);
}

NextRelease LinkTask::serve() TACTUS_REALTIME {
  {
    const std::lock_guard lock(m_mutex);
    m_planned = TimePoint::min();
  }
  {
    const std::lock_guard serving(m_serving);
    pass();
  }
  const std::lock_guard lock(m_mutex);
  m_planned = nextLook();
  return NextRelease::at(m_planned);
}

/// Sends all whose turn it is.
void LinkTask::pass() TACTUS_REALTIME {
  for (bool more = true; more;) {
    more = take();
    m_batch.send();
    settle();
    tell();
  }
  const std::lock_guard lock(m_mutex);
  m_retry = m_kept.empty() ? TimePoint::max() : m_time.now() + kRetry;
}

/// When somebody is to look at the link again.
TimePoint LinkTask::nextLook() const TACTUS_REALTIME {
  return std::min(m_link.wakeAt(), m_retry);
}

/// Fills the batch: with what was kept, then with what is next. True: there may be more.
bool LinkTask::take() TACTUS_REALTIME {
  m_batch.clear();
  m_sending.clear();
  const TimePoint now = m_time.now();
  for (LinkRequest* each : m_kept) {
    if (each->deadline <= now) {
      m_told.emplace_back(each, LinkOutcome{LinkOutcome::What::Late});
    } else {
      put(*each);
    }
  }
  const bool holdsBack = m_kept.size() > kMostKept;
  m_kept.clear();
  if (holdsBack) return false;
  const std::lock_guard lock(m_mutex);
  while (!m_batch.full() && m_told.size() < kBatch) {
    const auto turn = m_link.next(now);
    if (!turn) return false;
    auto& request = static_cast<LinkRequest&>(*turn->packet);
    if (turn->late) {
      m_told.emplace_back(&request, LinkOutcome{LinkOutcome::What::Late});
    } else if (request.datagram) {
      put(request);
    } else {
      m_told.emplace_back(&request, LinkOutcome{LinkOutcome::What::Sent});
    }
  }
  return true;
}

void LinkTask::put(LinkRequest& request) TACTUS_REALTIME {
  if (m_batch.add(*request.datagram)) {
    m_sending.push_back(&request);
  } else {
    m_told.emplace_back(&request, LinkOutcome{LinkOutcome::What::Failed, EINVAL});
  }
}

/// Each datagram of the batch has an outcome, or is kept.
void LinkTask::settle() TACTUS_REALTIME {
  for (std::size_t i = 0; i < m_sending.size(); ++i) {
    const SendResult& result = m_batch.results()[i];
    if (result.kept()) {
      m_kept.push_back(m_sending[i]);
    } else if (result.outcome == SendResult::Outcome::Sent) {
      m_told.emplace_back(m_sending[i], LinkOutcome{LinkOutcome::What::Sent});
    } else {
      m_told.emplace_back(m_sending[i], LinkOutcome{LinkOutcome::What::Failed, result.error});
    }
  }
  m_sending.clear();
}

void LinkTask::tell() TACTUS_REALTIME {
  for (const auto& [request, outcome] : m_told) conclude(*request, outcome);
  m_told.clear();
}

}  // namespace tactus::net
