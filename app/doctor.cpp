// SPDX-License-Identifier: Apache-2.0
#include "app/doctor.h"

#include <gst/gst.h>
#include <linux/io_uring.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <QGuiApplication>
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "app/gui.h"
#include "core/periodic/kernel/budget_signal.h"
#include "plugins/av/hardware.h"
#include "plugins/gst_handle.h"
#include "ui/video/video_output.h"

namespace tactus::app {
namespace {

enum class Mark { Good, Weak, Missing };

void line(Mark mark, const std::string& what, const std::string& how, const std::string& remedy = {}) {
  static constexpr const char* kSigns[] = {"ok  ", "weak", "MISS"};
  std::printf("%s  %-18s %s\n", kSigns[static_cast<int>(mark)], what.c_str(), how.c_str());
  if (!remedy.empty()) std::printf("                          -> %s\n", remedy.c_str());
}

void kernelClass(const periodic::KernelClassGate& gate) {
  using periodic::KernelClass;
  const bool best = gate.granted() == KernelClass::Fifo;
  const Mark mark = best ? Mark::Good : Mark::Weak;
  std::string how(nameOf(gate.granted()));
  if (gate.granted() == KernelClass::None) {
    how += ": films play, but a loaded machine can make them stutter";
  } else {
    how += ", priorities " + std::to_string(gate.minPriority()) + " to " + std::to_string(gate.maxPriority());
  }
  line(mark, "real-time class", how);
  for (const auto& refusal : gate.refusals()) {
    std::printf("                          %s: %s\n", std::string(nameOf(refusal.wanted)).c_str(),
                refusal.reason.c_str());
  }
  if (gate.granted() == KernelClass::None) {
    std::printf(
        "                          -> apt install rtkit, or allow real-time priorities in "
        "/etc/security/limits.conf\n");
  }
}

/// What may be reserved, by what rules, and how an overrun ends.
void admission(Runtime& runtime) {
  using periodic::KernelClass;
  auto& gate = runtime.gate();
  const auto policy = runtime.scheduler().policy();
  char text[256];
  std::snprintf(text, sizeof text, "%.0f %% of each of %zu processors may be reserved, on %d priority levels",
                policy.capacity * 100, policy.cpus.size(),
                gate.granted() == KernelClass::None ? 0 : policy.levels.count());
  line(Mark::Good, "admission", text);
  const auto costs = runtime.dispatchCosts();
  std::snprintf(text, sizeof text, "context switch %.1f us, release %.1f us, blocking %.1f us",
                periodic::inMicroseconds(costs.contextSwitch), periodic::inMicroseconds(costs.release),
                periodic::inMicroseconds(costs.blocking));
  std::printf("                          costs: %s\n", text);
  for (const auto& entry : runtime.scheduler().reservations())
    std::printf("                          reserved: %s\n", entry.contract.name.c_str());
  const std::string learned = runtime.scheduler().learned();
  const auto kinds = std::count(learned.begin(), learned.end(), '\n');
  std::printf("                          learned: processing times of %td kinds of work\n", kinds);
  if (gate.granted() == KernelClass::None) return;
  static const std::atomic<int> nowhere{0};
  const auto budget = periodic::BudgetSignal::open(periodic::currentThreadId(), nowhere);
  if (!gate.setsLevelsItself()) {
    line(Mark::Weak, "budgets",
         "overruns are ended by the watchdog: a broker grants the class, and no thread may raise itself");
  } else if (!budget.ok()) {
    line(Mark::Weak, "budgets", "overruns are ended by the watchdog: " + budget.error().message,
         "sysctl kernel.perf_event_paranoid=2");
  } else {
    line(Mark::Good, "budgets", "a perf signal ends an overrun inside the packet");
  }
}

/// A machine without is none that is weak: software decodes the same pictures.
void hardwareDecoding() {
  const auto& hardware = plugins::av::Hardware::await();
  std::string names;
  for (const auto& device : hardware.devices())
    names += (names.empty() ? "" : ", ") + std::string(nameOf(device.kind));
  line(Mark::Good, "hardware decoding", names.empty() ? "none: software decodes" : names);
  if (!hardware.missing().empty()) std::printf("                          %s\n", hardware.missing().c_str());
}

void ioUring() {
  io_uring_params parameters{};
  const long ring = syscall(SYS_io_uring_setup, 4, &parameters);
  if (ring >= 0) {
    close(static_cast<int>(ring));
    line(Mark::Good, "io_uring", "available");
    return;
  }
  line(Mark::Weak, "io_uring", std::string("refused: ") + std::strerror(errno),
       errno == EPERM ? "sysctl kernel.io_uring_disabled=0" : "");
}

void pipeWire() {
  const char* directory = std::getenv("PIPEWIRE_RUNTIME_DIR");
  if (directory == nullptr) directory = std::getenv("XDG_RUNTIME_DIR");
  if (directory == nullptr) {
    line(Mark::Missing, "PipeWire", "XDG_RUNTIME_DIR is not set, so no daemon can be found",
         "log in to a desktop session");
    return;
  }
  const std::string path = std::string(directory) + "/pipewire-0";
  const int socketFd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  const bool running = connect(socketFd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  close(socketFd);
  line(running ? Mark::Good : Mark::Missing, "PipeWire",
       running ? "running" : "not running: films play without sound",
       running ? "" : "apt install pipewire wireplumber; systemctl --user start pipewire wireplumber");
}

void display(int& argc, char** argv) {
  if (const std::string refusal = displayRefusal(); !refusal.empty()) {
    line(Mark::Weak, "display", refusal, "--headless plays without one");
    return;
  }
  const QGuiApplication application(argc, argv);
  const QString renderer = ui::glRenderer();
  if (ui::isSoftwareRenderer(renderer)) {
    line(Mark::Weak, "GL renderer", renderer.isEmpty() ? "none" : renderer.toStdString(),
         "pictures are drawn by the software scene graph, which is the faster way here");
  } else {
    line(Mark::Good, "GL renderer", renderer.toStdString());
  }
}

struct Need {
  const char* what;
  const char* caps;  ///< decoders and demuxers are found by their input
  const char* package;
};

constexpr Need kNeeds[] = {
    {"H.264", "video/x-h264", "gstreamer1.0-libav"},
    {"H.265", "video/x-h265", "gstreamer1.0-libav"},
    {"VP8", "video/x-vp8", "gstreamer1.0-plugins-good"},
    {"VP9", "video/x-vp9", "gstreamer1.0-plugins-good"},
    {"AV1", "video/x-av1", "gstreamer1.0-plugins-bad"},
    {"MPEG-2", "video/mpeg, mpegversion=2, systemstream=false", "gstreamer1.0-libav"},
    {"Theora", "video/x-theora", "gstreamer1.0-plugins-base"},
    {"AAC", "audio/mpeg, mpegversion=4", "gstreamer1.0-libav"},
    {"MP3", "audio/mpeg, mpegversion=1, layer=3", "gstreamer1.0-plugins-good"},
    {"Opus", "audio/x-opus", "gstreamer1.0-plugins-base"},
    {"Vorbis", "audio/x-vorbis", "gstreamer1.0-plugins-base"},
    {"FLAC", "audio/x-flac", "gstreamer1.0-plugins-good"},
    {"AC-3", "audio/x-ac3", "gstreamer1.0-libav"},
    {"MP4", "video/quicktime", "gstreamer1.0-plugins-good"},
    {"Matroska, WebM", "video/x-matroska", "gstreamer1.0-plugins-good"},
    {"MPEG-TS", "video/mpegts", "gstreamer1.0-plugins-bad"},
    {"AVI", "video/x-msvideo", "gstreamer1.0-plugins-good"},
    {"Ogg", "application/ogg", "gstreamer1.0-plugins-base"},
    {"HLS", "application/x-hls", "gstreamer1.0-plugins-bad"},
    {"DASH", "application/dash+xml", "gstreamer1.0-plugins-bad"},
    {"ASS subtitles", "application/x-ass", "gstreamer1.0-plugins-bad"},
};

bool canRead(const char* capsText) {
  const plugins::CapsPtr caps(gst_caps_from_string(capsText));
  GList* all = gst_element_factory_list_get_elements(
      GST_ELEMENT_FACTORY_TYPE_DECODABLE | GST_ELEMENT_FACTORY_TYPE_MEDIA_SUBTITLE, GST_RANK_NONE);
  GList* fitting = gst_element_factory_list_filter(all, caps.get(), GST_PAD_SINK, FALSE);
  bool found = fitting != nullptr;
  gst_plugin_feature_list_free(fitting);
  gst_plugin_feature_list_free(all);
  if (found) return true;
  // Subtitle renderers are no decoders to GStreamer.
  GList* every = gst_registry_get_feature_list(gst_registry_get(), GST_TYPE_ELEMENT_FACTORY);
  for (GList* item = every; item != nullptr && !found; item = item->next) {
    found = gst_element_factory_can_sink_any_caps(GST_ELEMENT_FACTORY(item->data), caps.get()) != FALSE &&
            std::strstr(
                gst_element_factory_get_metadata(GST_ELEMENT_FACTORY(item->data), GST_ELEMENT_METADATA_KLASS),
                "Overlay") != nullptr;
  }
  gst_plugin_feature_list_free(every);
  return found;
}

bool formats() {
  if (gst_init_check(nullptr, nullptr, nullptr) == FALSE) {
    line(Mark::Missing, "GStreamer", "cannot start", "apt install gstreamer1.0-plugins-base");
    return false;
  }
  bool complete = true;
  std::string readable;
  for (const auto& need : kNeeds) {
    if (canRead(need.caps)) {
      readable += readable.empty() ? need.what : std::string(", ") + need.what;
    } else {
      complete = false;
      line(Mark::Missing, need.what, "cannot be played", std::string("apt install ") + need.package);
    }
  }
  line(Mark::Good, "formats", readable);
  for (const auto& [element, package] : {std::pair{"playbin3", "gstreamer1.0-plugins-base"},
                                         std::pair{"scaletempo", "gstreamer1.0-plugins-good"}}) {
    GstElementFactory* factory = gst_element_factory_find(element);
    if (factory == nullptr) {
      complete = false;
      line(Mark::Missing, element, "is not installed", std::string("apt install ") + package);
    } else {
      gst_object_unref(factory);
    }
  }
  return complete;
}

}  // namespace

ExitCode runDoctor(Runtime& runtime, int& argc, char** argv) {
  kernelClass(runtime.gate());
  admission(runtime);
  hardwareDecoding();
  ioUring();
  pipeWire();
  display(argc, argv);
  return formats() ? ExitCode::Played : ExitCode::CannotOpen;
}

}  // namespace tactus::app
