// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "media/capture/portal_bus.h"
#include "media/room/event_thread.h"
#include "media/room/participant/lent_screen.h"

namespace tactus::media {

/// A screen or a window that the user chooses in a dialog of the desktop: org.freedesktop.portal.ScreenCast.
/// When the last owner lets it go, its dialog closes, or it is not shared any more.
///
/// Thread "tactus-portal" (one for each; ordinary) speaks with the portal. Thread-safe: yes. Real-time-safe:
/// no.
class PortalScreen final : public LentScreen {
 public:
  enum class State {
    Asking,     ///< the portal, or by its dialog the user, who may take minutes
    Lent,       ///< it can be captured
    Absent,     ///< there is no portal here, or no desktop behind it that shares screens
    Cancelled,  ///< the user wants none to be shared
    Failed,     ///< fault() says why
    Ended       ///< it was lent; fault() says why
  };
  struct Options {
    /// Of an earlier one: it is lent again without a dialog, if it is still there. Empty: the user chooses.
    std::string restoreToken = {};
    std::string bus = {};  ///< address of a D-Bus bus; empty: the session's
    /// The state is another; on the object's own thread, where it must not be let go; may be null.
    std::function<void()> changed = {};
  };

  /// Begins to ask, and returns at once. Shared: by who asked and each capture.
  [[nodiscard]] static std::shared_ptr<PortalScreen> ask(Options options);
  /// Waits for a moment.
  ~PortalScreen() override;

  [[nodiscard]] State state() const;
  /// To ask for the same one later; it can be used once. Empty: the desktop gives none.
  [[nodiscard]] std::string restoreToken() const;
  [[nodiscard]] std::uint32_t node() const override;
  [[nodiscard]] Result<net::Descriptor> connect() const override;
  [[nodiscard]] std::string fault() const override;

 private:
  struct Outcome {
    State state = State::Failed;
    std::string why = {};
    std::uint32_t node = 0;
    std::string restoreToken = {};
  };
  explicit PortalScreen(Options options) : m_options(std::move(options)) {}
  void converse();
  [[nodiscard]] Outcome lend();
  [[nodiscard]] std::optional<Outcome> createSession();
  [[nodiscard]] std::optional<Outcome> selectSources(GVariant* properties, std::uint32_t types);
  [[nodiscard]] Outcome start();
  void settle(Outcome outcome);
  void end();

  const Options m_options;
  const CancellablePtr m_cancel{g_cancellable_new()};
  std::unique_ptr<PortalBus> m_bus;  // fixed once lent, until the destructor
  bool m_conversing = true;          // own thread
  mutable std::mutex m_mutex;
  Outcome m_outcome{.state = State::Asking};  // guarded by it
  EventThread m_thread{"tactus-portal"};      // last: uses all the others
};

}  // namespace tactus::media
