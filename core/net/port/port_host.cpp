// SPDX-License-Identifier: Apache-2.0
#include "core/net/port/port_host.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>
#include <variant>

#include "core/net/port/control_socket.h"
#include "core/net/port/port_core.h"
#include "core/periodic/time/timespec.h"

namespace tactus::net {

using namespace std::chrono_literals;
using periodic::MonotonicClock;
using periodic::TimePoint;

namespace {

/// How often the peers' hosts are told.
constexpr periodic::Duration kHeartbeat = 1s;
/// What could not be done at once, because a port was busy, is tried again after this.
constexpr periodic::Duration kAgain = 10ms;

Result<std::string> newToken() {
  std::array<unsigned char, 16> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    return Error{ErrorCode::System, std::string("There are no random numbers: ") + std::strerror(errno)};
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string token;
  for (const unsigned char each : bytes) {
    token += kDigits[each >> 4U];
    token += kDigits[each & 15U];
  }
  return token;
}

}  // namespace

PortHost::PortHost(periodic::Scheduler& scheduler, Options options, Descriptor wake)
    : m_scheduler(scheduler), m_options(std::move(options)), m_wake(std::move(wake)) {}

Result<std::unique_ptr<PortHost>> PortHost::start(periodic::Scheduler& scheduler, Options options) {
  Descriptor wake(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
  if (!wake) return Error{ErrorCode::System, std::string("Ports cannot be made: ") + std::strerror(errno)};
  std::unique_ptr<PortHost> host(new PortHost(scheduler, std::move(options), std::move(wake)));
  if (host->m_options.network) {
    auto socket = listenAt(*host->m_options.network);
    if (!socket.ok()) return socket.error();
    host->m_tcpPort = portOf(socket.value().get());
    host->m_listeners.push_back(std::move(socket).value());
  }
  if (host->m_options.local) {
    auto socket = listenAt(*host->m_options.local);
    if (!socket.ok()) {
      host->m_options.local.reset();  // it is another's
      return socket.error();
    }
    host->m_listeners.push_back(std::move(socket).value());
  }
  try {
    host->m_thread = std::thread([self = host.get()] { self->run(); });
  } catch (const std::system_error& error) {
    return Error{ErrorCode::System, std::string("Ports cannot be made: ") + error.what()};
  }
  return host;
}

PortHost::~PortHost() {
  m_quit.store(true, std::memory_order_release);
  wake();
  if (m_thread.joinable()) m_thread.join();
  if (m_options.local) unlink(m_options.local->path.c_str());
}

void PortHost::wake() noexcept {
  (void)eventfd_write(m_wake.get(), 1);
}

Result<std::unique_ptr<Port>> PortHost::create(const std::string& name, PortType type,
                                               const StreamContract& contract,
                                               std::optional<std::string> token) {
  return make({.name = name, .type = type, .contract = contract}, std::move(token));
}

Result<std::unique_ptr<Port>> PortHost::createReader(const std::string& name, const StreamContract& most,
                                                     std::optional<std::string> token) {
  return make({.name = name, .type = PortType::Read, .contract = most, .takesOver = true}, std::move(token));
}

Result<std::unique_ptr<Port>> PortHost::make(PortTerms terms, std::optional<std::string> token) {
  const std::string name = terms.name;
  if (!isStreamName(name))
    return Error{ErrorCode::InvalidArgument, "A port's name is 1 to 64 letters, digits, '.', '_' and '-'."};
  if (auto valid = validate(terms.contract); !valid.ok()) return valid.error();
  if (!token) {
    auto made = newToken();
    if (!made.ok()) return made.error();
    token = std::move(made).value();
  }
  if (token->size() > ConnectMessage::kLongestToken)
    return Error{ErrorCode::InvalidArgument, "A port's token has at most 128 bytes."};
  {
    // The place is taken before the port is made, which takes a while.
    const std::lock_guard lock(m_mutex);
    if (!m_ports.emplace(name, nullptr).second)
      return Error{ErrorCode::InvalidArgument, "There is a port of the name " + name + " already."};
  }
  terms.token = *std::move(token);
  auto made = Port::Implementation::create({m_scheduler, m_options.link, [this] { wake(); }, m_options.qos},
                                           std::move(terms));
  const std::lock_guard lock(m_mutex);
  if (!made.ok()) {
    m_ports.erase(name);
    return made.error();
  }
  m_ports[name] = made.value();
  return std::unique_ptr<Port>(new Port(*this, std::move(made).value()));
}

void PortHost::forget(const std::string& name) {
  const std::lock_guard lock(m_mutex);
  m_ports.erase(name);
}

std::optional<StreamAddress> PortHost::localAddress(const std::string& name) const {
  if (!m_options.local) return std::nullopt;
  return StreamAddress{*m_options.local, name};
}

std::optional<StreamAddress> PortHost::networkAddress(const std::string& name) const {
  if (!m_tcpPort) return std::nullopt;
  return StreamAddress{StreamAddress::Tcp{m_options.network->host, *m_tcpPort}, name};
}

std::vector<std::shared_ptr<Port::Implementation>> PortHost::ports() const {
  const std::lock_guard lock(m_mutex);
  std::vector<std::shared_ptr<Port::Implementation>> all;
  for (const auto& [name, port] : m_ports)
    if (port) all.push_back(port);
  return all;
}

void PortHost::run() {
  TimePoint beat = MonotonicClock::now() + kHeartbeat;
  bool isSettled = true;
  while (!m_quit.load(std::memory_order_acquire)) {
    auto known = ports();
    TimePoint until = std::min(beat, m_halfOpen.nextExpiry());
    if (!isSettled) until = std::min(until, MonotonicClock::now() + kAgain);
    wait(until, known);
    const TimePoint now = MonotonicClock::now();
    for (const Descriptor& each : m_listeners) m_halfOpen.accept(each.get(), now);
    m_halfOpen.read(now);
    isSettled = answerAll();
    m_halfOpen.expire(now);
    for (const auto& port : known) {
      port->hear(now);
      if (now >= beat) port->tell(now);
      isSettled = port->settle(now) && isSettled;
    }
    if (now >= beat) beat = now + kHeartbeat;
  }
}

void PortHost::wait(TimePoint until, const std::vector<std::shared_ptr<Port::Implementation>>& known) {
  std::vector<pollfd> polled{{m_wake.get(), POLLIN, 0}};
  for (const Descriptor& each : m_listeners) polled.push_back({each.get(), POLLIN, 0});
  m_halfOpen.poll(polled);
  for (const auto& port : known)
    if (const int descriptor = port->descriptor(); descriptor >= 0) polled.push_back({descriptor, POLLIN, 0});
  const timespec timeout = periodic::timespecOf(until - MonotonicClock::now());
  (void)ppoll(polled.data(), polled.size(), &timeout, nullptr);
  eventfd_t ignored = 0;
  (void)eventfd_read(m_wake.get(), &ignored);
}

/// False: somebody who asked is not answered yet.
bool PortHost::answerAll() {
  bool all = true;
  auto& halfOpen = m_halfOpen.all();
  for (auto each = halfOpen.begin(); each != halfOpen.end();) {
    const bool asks = each->asked && std::holds_alternative<ConnectMessage>(each->asked->message);
    // takeData() may erase a neighbour, never this one.
    if (asks && answer(*each)) {
      each = halfOpen.erase(each);
      continue;
    }
    all = all && !asks;
    ++each;
  }
  return all;
}

/// False: later.
bool PortHost::answer(HalfOpenConnection& asking) {
  const auto& message = std::get<ConnectMessage>(asking.asked->message);
  std::shared_ptr<Port::Implementation> port;
  {
    const std::lock_guard lock(m_mutex);
    const auto found = m_ports.find(message.name);
    if (found != m_ports.end()) port = found->second;
  }
  RefusedMessage why{Refusal::NotFound, "There is no port of the name " + message.name + "."};
  if (port) {
    if (message.contract.transport == TransportKind::Tcp && !asking.data)
      asking.data = m_halfOpen.takeData(message.session);
    const auto answered = port->answer(*asking.asked, asking.connection, asking.data, why);
    if (answered == Port::Implementation::Answer::Taken) return true;
    if (answered == Port::Implementation::Answer::Later) return false;
  }
  (void)asking.connection.send(why);
  return true;
}

}  // namespace tactus::net
