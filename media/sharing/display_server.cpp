// SPDX-License-Identifier: Apache-2.0
#include "media/sharing/display_server.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

namespace tactus::media {
namespace {

/// Who listens at the socket; `abstract`: in the namespace without files.
std::optional<pid_t> peerAt(const std::string& path, bool abstract) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::size_t begin = abstract ? 1 : 0;
  if (path.size() + begin >= sizeof address.sun_path) return std::nullopt;
  std::memcpy(address.sun_path + begin, path.data(), path.size());
  const auto length =
      static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + begin + path.size() + (abstract ? 0 : 1));
  const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (socket < 0) return std::nullopt;
  ucred peer{};
  socklen_t size = sizeof peer;
  const bool known = connect(socket, reinterpret_cast<const sockaddr*>(&address), length) == 0 &&
                     getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.pid > 0;
  close(socket);
  return known ? std::optional(peer.pid) : std::nullopt;
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

std::optional<pid_t> waylandServer() {
  const std::string name = environment("WAYLAND_DISPLAY");
  if (name.empty()) return std::nullopt;
  return peerAt(name.front() == '/' ? name : environment("XDG_RUNTIME_DIR") + "/" + name, false);
}

/// DISPLAY is "[unix]:NUMBER[.SCREEN]" for a server on this machine.
std::optional<pid_t> x11Server() {
  const std::string display = environment("DISPLAY");
  const auto colon = display.find(':');
  if (colon == std::string::npos || (colon != 0 && display.substr(0, colon) != "unix")) return std::nullopt;
  const std::string number = display.substr(colon + 1, display.find('.', colon) - colon - 1);
  if (number.empty() || number.find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
  const std::string path = "/tmp/.X11-unix/X" + number;
  const auto peer = peerAt(path, true);
  return peer ? peer : peerAt(path, false);
}

}  // namespace

std::optional<pid_t> displayServerProcess() {
  const auto wayland = waylandServer();
  return wayland ? wayland : x11Server();
}

std::optional<ServerTimes> serverTimesOf(pid_t process) {
  std::error_code failure;
  std::filesystem::directory_iterator thread("/proc/" + std::to_string(process) + "/task", failure);
  ServerTimes sum;
  bool known = false;
  for (; !failure && thread != std::filesystem::directory_iterator(); thread.increment(failure)) {
    std::ifstream file(thread->path() / "schedstat");  // "USED WAITED TIMES", in ns
    std::int64_t used = 0;
    std::int64_t waited = 0;
    std::uint64_t turns = 0;
    if (!(file >> used >> waited >> turns)) continue;  // it may have ended
    known = true;
    sum.used += periodic::Duration(used);
    sum.waited += periodic::Duration(waited);
    sum.turns += turns;
  }
  return known ? std::optional(sum) : std::nullopt;
}

}  // namespace tactus::media
