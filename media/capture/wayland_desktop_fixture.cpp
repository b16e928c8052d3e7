// SPDX-License-Identifier: Apache-2.0
#include "media/capture/wayland_desktop_fixture.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <utility>

#include "media/room/participant/call_peer_fixture.h"
#include "media/room/participant/picture_stamp.h"

namespace tactus::media::testing {
namespace {

constexpr const char* kPortalName = "org.freedesktop.portal.Desktop";
constexpr const char* kBackendName = "org.freedesktop.impl.portal.desktop.wlr";
constexpr const char* kPermissionsName = "org.freedesktop.impl.portal.PermissionStore";
constexpr const char* kPortalFile =
    "[portal]\nDBusName=org.freedesktop.impl.portal.desktop.wlr\n"
    "Interfaces=org.freedesktop.impl.portal.ScreenCast;\nUseIn=wlroots;sway\n";
constexpr int kWidth = 1280, kHeight = 720;

std::string valueOf(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr ? value : "";
}

/// A bus that starts nothing by itself.
std::string busSettings(const std::string& folder) {
  return "<busconfig><type>session</type><listen>unix:path=" + folder +
         "/bus</listen><auth>EXTERNAL</auth><policy context='default'><allow send_destination='*' "
         "eavesdrop='true'/><allow eavesdrop='true'/><allow own='*'/></policy></busconfig>";
}

}  // namespace

WaylandDesktop::WaylandDesktop(Extent extent, User user) {
  std::string folder = (std::filesystem::temp_directory_path() / "desktop.XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) return;
  m_folder = folder;
  if (!startBus()) return;
  std::filesystem::create_directory(m_folder + "/portals");
  if (extent == Extent::Whole) {
    write("portals/wlr.portal", kPortalFile);
    m_permissions = start({"/usr/libexec/xdg-permission-store"});
    if (!comesTrue([&] { return owned(kPermissionsName); })) ADD_FAILURE() << "no permission store";
    if (!startCompositor() || !startBackend(user)) return;
  }
  if (extent == Extent::Bus) return;
  m_portal = start({"/usr/libexec/xdg-desktop-portal"});
  if (!comesTrue([&] { return owned(kPortalName); })) ADD_FAILURE() << "xdg-desktop-portal does not run";
}

WaylandDesktop::~WaylandDesktop() {
  m_connection.reset();
  for (pid_t* process : {&m_background, &m_portal, &m_backend, &m_permissions, &m_sway, &m_daemon})
    end(*process);
  std::error_code ignored;
  std::filesystem::remove_all(m_folder, ignored);
}

pid_t WaylandDesktop::start(const std::vector<std::string>& words, const char* display) const {
  std::vector<std::string> environment{"PATH=" + valueOf("PATH"),
                                       "HOME=" + m_folder,
                                       "LC_ALL=C.UTF-8",
                                       "XDG_RUNTIME_DIR=" + m_folder,
                                       "XDG_CONFIG_HOME=" + m_folder,
                                       "XDG_DATA_HOME=" + m_folder,
                                       "XDG_CACHE_HOME=" + m_folder,
                                       "XDG_CURRENT_DESKTOP=sway",
                                       "XDG_DESKTOP_PORTAL_DIR=" + m_folder + "/portals",
                                       "PIPEWIRE_RUNTIME_DIR=" + valueOf("PIPEWIRE_RUNTIME_DIR"),
                                       "DBUS_SESSION_BUS_ADDRESS=" + m_address,
                                       "SWAYSOCK=" + m_folder + "/sway",
                                       std::string("WAYLAND_DISPLAY=") + display,
                                       "WLR_BACKENDS=headless",
                                       "WLR_RENDERER=pixman",
                                       "WLR_LIBINPUT_NO_DEVICES=1"};
  std::vector<std::string> all = words;
  std::vector<char*> arguments, variables;
  for (std::string& word : all) arguments.push_back(word.data());
  for (std::string& variable : environment) variables.push_back(variable.data());
  arguments.push_back(nullptr);
  variables.push_back(nullptr);
  const std::string log = m_folder + "/log";
  const pid_t process = fork();
  if (process != 0) return process;
  (void)prctl(PR_SET_PDEATHSIG, SIGKILL);  // a test that is killed leaves nothing behind
  setpgid(0, 0);
  const int out = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  dup2(out, STDOUT_FILENO);
  dup2(out, STDERR_FILENO);
  execvpe(arguments[0], arguments.data(), variables.data());
  _exit(127);
}

void WaylandDesktop::end(pid_t& process) {
  if (process <= 0) return;
  setpgid(process, process);  // if it has not got so far itself
  kill(-process, SIGKILL);
  waitpid(process, nullptr, 0);
  process = 0;
}

void WaylandDesktop::write(const char* name, const std::string& text) const {
  std::ofstream(m_folder + "/" + name) << text;
}

bool WaylandDesktop::owned(const char* name) const {
  gboolean has = FALSE;
  const VariantPtr reply(g_dbus_connection_call_sync(
      m_connection.get(), "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus",
      "NameHasOwner", g_variant_new("(s)", name), nullptr, G_DBUS_CALL_FLAGS_NONE, -1, nullptr, nullptr));
  if (reply) g_variant_get(reply.get(), "(b)", &has);
  return has != FALSE;
}

bool WaylandDesktop::startBus() {
  write("bus.conf", busSettings(m_folder));
  m_daemon = start({"dbus-daemon", "--nofork", "--config-file=" + m_folder + "/bus.conf"});
  const std::string address = "unix:path=" + m_folder + "/bus";
  constexpr auto kFlags = static_cast<GDBusConnectionFlags>(G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT |
                                                            G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION);
  const bool runs = comesTrue([&] {
    m_connection.reset(
        g_dbus_connection_new_for_address_sync(address.c_str(), kFlags, nullptr, nullptr, nullptr));
    return m_connection != nullptr;
  });
  if (!runs) ADD_FAILURE() << "dbus-daemon does not run";
  if (runs) m_address = address;
  return runs;
}

bool WaylandDesktop::startCompositor() {
  write("sway.conf", "xwayland disable\noutput * mode --custom 1280x720@30Hz\n");
  // It refuses to run as root, so that it is another in a user namespace.
  std::vector<std::string> words{"sway", "--config", m_folder + "/sway.conf"};
  if (geteuid() == 0)
    words.insert(words.begin(), {"unshare", "--user", "--map-user=1000", "--map-group=1000"});
  m_sway = start(words, "");
  const bool runs = comesTrue([&] {
    return std::filesystem::exists(m_folder + "/wayland-1") && std::filesystem::exists(m_folder + "/sway");
  });
  if (!runs) ADD_FAILURE() << "sway does not run";
  if (runs) m_relay = std::make_unique<WaylandRelay>(m_folder + "/relay", m_folder + "/wayland-1");
  return runs;
}

bool WaylandDesktop::startBackend(User user) {
  constexpr std::array kChoosers{"chooser_type=none", "chooser_type=simple\nchooser_cmd=false",
                                 "chooser_type=simple\nchooser_cmd=exec setpriv --pdeathsig KILL sleep 1000"};
  write("backend.conf",
        std::string("[screencast]\nmax_fps=30\n") + kChoosers[static_cast<std::size_t>(user)] + "\n");
  m_backend = start({"/usr/libexec/xdg-desktop-portal-wlr", "-c", m_folder + "/backend.conf"}, "relay");
  const bool runs = comesTrue([&] { return owned(kBackendName); });
  if (!runs) ADD_FAILURE() << "xdg-desktop-portal-wlr does not run";
  return runs;
}

void WaylandDesktop::setUser(User user) {
  killBackend();
  (void)comesTrue([&] { return !owned(kBackendName); });
  (void)startBackend(user);
}

void WaylandDesktop::show(std::uint32_t number) {
  std::vector<std::uint8_t> luma(static_cast<std::size_t>(kWidth) * kHeight, 96);
  EXPECT_TRUE(drawStamp({luma, kWidth, kHeight, kWidth}, {number, 0}));
  const std::string name = m_folder + "/picture-" + std::to_string(number);
  std::ofstream picture(name + ".pgm", std::ios::binary);
  picture << "P5 " << kWidth << ' ' << kHeight << " 255\n";
  picture.write(reinterpret_cast<const char*>(luma.data()), static_cast<std::streamsize>(luma.size()));
  picture.close();
  EXPECT_EQ(std::system(("convert " + name + ".pgm " + name + ".png").c_str()), 0);
  const pid_t before = std::exchange(m_background, start({"swaybg", "-m", "fill", "-i", name + ".png"}));
  pid_t old = before;
  end(old);
}

bool WaylandDesktop::showUntil(std::uint32_t number, const std::function<bool()>& condition) {
  constexpr int kTimes = 30;
  for (int i = 0; i < kTimes; ++i) {
    show(number);
    if (comesTrue(condition, std::chrono::seconds(2))) return true;
  }
  return false;
}

}  // namespace tactus::media::testing
