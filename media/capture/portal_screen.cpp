// SPDX-License-Identifier: Apache-2.0
#include "media/capture/portal_screen.h"

#include <initializer_list>
#include <utility>

namespace tactus::media {
namespace {

constexpr const char* kScreenCast = "org.freedesktop.portal.ScreenCast";
// Of its documentation.
constexpr std::uint32_t kMonitors = 1, kWindows = 2;
constexpr std::uint32_t kEmbeddedCursor = 2;
constexpr std::uint32_t kUntilRevoked = 2;
constexpr std::uint32_t kPersists = 4;  // since this version of it
constexpr const char* kEnded = "The desktop does not share the screen any more.";

using Code = PortalBus::Response::Code;

struct Option {
  const char* name;
  GVariant* value;
};

GVariant* optionsOf(const char* token, std::initializer_list<Option> more = {}) {
  GVariantBuilder all;
  g_variant_builder_init(&all, G_VARIANT_TYPE_VARDICT);
  g_variant_builder_add(&all, "{sv}", "handle_token", g_variant_new_string(token));
  for (const Option& each : more)
    if (each.value != nullptr) g_variant_builder_add(&all, "{sv}", each.name, each.value);
  return g_variant_builder_end(&all);
}

std::uint32_t numberOf(GVariant* all, const char* name) {
  guint32 number = 0;
  (void)g_variant_lookup(all, name, "u", &number);
  return number;
}

std::string textOf(GVariant* all, const char* name) {
  const char* words = "";
  (void)g_variant_lookup(all, name, "&s", &words);
  return words;
}

/// Absent: there is no stream.
std::optional<std::uint32_t> nodeOf(GVariant* results) {
  GVariant* raw = nullptr;
  if (g_variant_lookup(results, "streams", "@a(ua{sv})", &raw) == FALSE) return std::nullopt;
  const VariantPtr streams(raw);
  if (g_variant_n_children(raw) == 0) return std::nullopt;
  guint32 node = 0;
  g_variant_get_child(raw, 0, "(ua{sv})", &node, nullptr);
  return node;
}

}  // namespace

std::shared_ptr<PortalScreen> PortalScreen::ask(Options options) {
  std::shared_ptr<PortalScreen> screen(new PortalScreen(std::move(options)));
  screen->m_thread.post([self = screen.get()] { self->converse(); });
  return screen;
}

PortalScreen::~PortalScreen() {
  g_cancellable_cancel(m_cancel.get());
  m_thread.call([this] {
    if (!m_conversing) m_bus.reset();
  });
}

void PortalScreen::converse() {
  Outcome outcome = lend();
  if (outcome.state == State::Lent && m_bus->isLost()) outcome = {.state = State::Ended, .why = kEnded};
  m_conversing = false;
  if (outcome.state != State::Lent || g_cancellable_is_cancelled(m_cancel.get()) != FALSE) m_bus.reset();
  if (g_cancellable_is_cancelled(m_cancel.get()) == FALSE) settle(std::move(outcome));
}

PortalScreen::Outcome PortalScreen::lend() {
  auto bus = PortalBus::connect(
      {.address = m_options.bus, .interface = kScreenCast, .closed = [this] { end(); }}, *m_cancel);
  if (!bus.ok()) return {.state = State::Absent, .why = bus.error().message};
  m_bus = std::move(bus).value();
  const auto properties = m_bus->properties();
  if (!properties.ok()) return {.state = State::Absent, .why = properties.error().message};
  GVariant* const all = properties.value().get();
  const std::uint32_t types = numberOf(all, "AvailableSourceTypes") & (kMonitors | kWindows);
  if (types == 0) return {.state = State::Absent, .why = "No desktop behind the portal shares screens."};
  if (auto failed = createSession()) return *std::move(failed);
  if (auto failed = selectSources(all, types)) return *std::move(failed);
  return start();
}

std::optional<PortalScreen::Outcome> PortalScreen::createSession() {
  const auto created = m_bus->request("CreateSession", [](const char* token) {
    return g_variant_new("(@a{sv})",
                         optionsOf(token, {{"session_handle_token", g_variant_new_string(token)}}));
  });
  if (!created.ok()) return Outcome{.why = created.error().message};
  const auto& [code, results] = created.value();
  const std::string session = code == Code::Success ? textOf(results.get(), "session_handle") : "";
  if (g_variant_is_object_path(session.c_str()) == FALSE)
    return Outcome{.why = "The desktop's portal refused to share a screen."};
  m_bus->hold(session);
  return std::nullopt;
}

std::optional<PortalScreen::Outcome> PortalScreen::selectSources(GVariant* properties, std::uint32_t types) {
  const bool persists = numberOf(properties, "version") >= kPersists;
  const bool cursor = (numberOf(properties, "AvailableCursorModes") & kEmbeddedCursor) != 0;
  const bool again = persists && !m_options.restoreToken.empty();
  const auto selected = m_bus->request("SelectSources", [&](const char* token) {
    return g_variant_new(
        "(o@a{sv})", m_bus->session().c_str(),
        optionsOf(token, {{"types", g_variant_new_uint32(types)},
                          {"multiple", g_variant_new_boolean(FALSE)},
                          {"cursor_mode", cursor ? g_variant_new_uint32(kEmbeddedCursor) : nullptr},
                          {"persist_mode", persists ? g_variant_new_uint32(kUntilRevoked) : nullptr},
                          {"restore_token",
                           again ? g_variant_new_string(m_options.restoreToken.c_str()) : nullptr}}));
  });
  if (!selected.ok()) return Outcome{.why = selected.error().message};
  if (selected.value().code == Code::Cancelled) return Outcome{.state = State::Cancelled};
  if (selected.value().code == Code::Other) return Outcome{.why = "The desktop did not share a screen."};
  return std::nullopt;
}

PortalScreen::Outcome PortalScreen::start() {
  const auto started = m_bus->request("Start", [this](const char* token) {
    return g_variant_new("(os@a{sv})", m_bus->session().c_str(), "", optionsOf(token));
  });
  if (!started.ok()) return {.why = started.error().message};
  const auto& [code, results] = started.value();
  if (code == Code::Cancelled) return {.state = State::Cancelled};
  const auto node = code == Code::Success ? nodeOf(results.get()) : std::nullopt;
  if (!node) return {.why = "The desktop did not share a screen."};
  return {.state = State::Lent, .node = *node, .restoreToken = textOf(results.get(), "restore_token")};
}

void PortalScreen::settle(Outcome outcome) {
  {
    const std::lock_guard lock(m_mutex);
    m_outcome = std::move(outcome);
  }
  if (m_options.changed) m_options.changed();
}

/// What is told before it is lent ends what waits for it.
void PortalScreen::end() {
  if (state() == State::Lent) settle({.state = State::Ended, .why = kEnded});
}

PortalScreen::State PortalScreen::state() const {
  const std::lock_guard lock(m_mutex);
  return m_outcome.state;
}

std::string PortalScreen::restoreToken() const {
  const std::lock_guard lock(m_mutex);
  return m_outcome.restoreToken;
}

std::uint32_t PortalScreen::node() const {
  const std::lock_guard lock(m_mutex);
  return m_outcome.node;
}

std::string PortalScreen::fault() const {
  const std::lock_guard lock(m_mutex);
  return m_outcome.why;
}

Result<net::Descriptor> PortalScreen::connect() const {
  if (state() != State::Lent) return Error{ErrorCode::Unavailable, kEnded};
  return m_bus->openRemote();
}

}  // namespace tactus::media
