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

#include "app/events.h"
#include "core/periodic/kernel/budget_signal.h"
#include "plugins/av/format_support.h"
#include "plugins/av/hardware.h"
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

/// What films may be promised together.
void memory(const periodic::MemoryShare& share) {
  const auto left = share.standing().left;
  if (left)
    line(Mark::Good, "memory", "films may be promised " + periodic::bytesInWords(*left));
  else
    line(Mark::Weak, "memory", "what the machine has free cannot be read: no film is refused for want of it");
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

/// What files, pipes and web servers bring is read and decoded by libavformat and libavcodec, under the names
/// that these give it.
struct Readable {
  const char* what;
  const char* name;
  bool (*isRead)(const char* name) noexcept;
};

constexpr Readable kOfFiles[] = {
    {"H.264", "h264", plugins::av::decodes},
    {"H.265", "hevc", plugins::av::decodes},
    {"VP8", "vp8", plugins::av::decodes},
    {"VP9", "vp9", plugins::av::decodes},
    {"AV1", "av1", plugins::av::decodes},
    {"MPEG-2", "mpeg2video", plugins::av::decodes},
    {"Theora", "theora", plugins::av::decodes},
    {"AAC", "aac", plugins::av::decodes},
    {"MP3", "mp3", plugins::av::decodes},
    {"Opus", "opus", plugins::av::decodes},
    {"Vorbis", "vorbis", plugins::av::decodes},
    {"FLAC", "flac", plugins::av::decodes},
    {"AC-3", "ac3", plugins::av::decodes},
    {"DTS", "dts", plugins::av::decodes},
    {"MP4", "mov", plugins::av::reads},
    {"Matroska, WebM", "matroska", plugins::av::reads},
    {"MPEG-TS", "mpegts", plugins::av::reads},
    {"AVI", "avi", plugins::av::reads},
    {"Ogg", "ogg", plugins::av::reads},
    {"subtitles (SRT, ASS, WebVTT, PGS)", "ass", plugins::av::decodes},
};

/// What adaptive and live streams need comes from GStreamer.
struct Element {
  const char* what;
  const char* name;
  const char* package;
};

constexpr Element kOfStreams[] = {
    {"HLS", "hlsdemux2", "gstreamer1.0-plugins-good"}, {"DASH", "dashdemux2", "gstreamer1.0-plugins-good"},
    {"RTSP", "rtspsrc", "gstreamer1.0-plugins-good"},  {"SRT", "srtsrc", "gstreamer1.0-plugins-bad"},
    {"UDP", "udpsrc", "gstreamer1.0-plugins-good"},    {"H.264", "avdec_h264", "gstreamer1.0-libav"},
    {"AAC", "avdec_aac", "gstreamer1.0-libav"},        {"Opus", "opusdec", "gstreamer1.0-plugins-base"},
};

/// What every film needs of GStreamer.
constexpr Element kAlways[] = {
    {"playbin3", "playbin3", "gstreamer1.0-plugins-base"},
    {"volume", "volume", "gstreamer1.0-plugins-base"},
    {"deinterlace", "deinterlace", "gstreamer1.0-plugins-good"},
    {"scaletempo", "scaletempo", "gstreamer1.0-plugins-good"},
};

bool exists(const Element& element) {
  GstElementFactory* factory = gst_element_factory_find(element.name);
  if (factory == nullptr) return false;
  gst_object_unref(factory);
  return true;
}

void addTo(std::string& list, const char* what) {
  list += list.empty() ? what : std::string(", ") + what;
}

bool formats() {
  if (gst_init_check(nullptr, nullptr, nullptr) == FALSE) {
    line(Mark::Missing, "GStreamer", "cannot start", "apt install gstreamer1.0-plugins-base");
    return false;
  }
  bool complete = true;
  std::string files;
  std::string streams;
  for (const auto& readable : kOfFiles) {
    if (readable.isRead(readable.name)) {
      addTo(files, readable.what);
    } else {
      complete = false;
      line(Mark::Missing, readable.what, "is missing in this machine's libavcodec and libavformat");
    }
  }
  for (const auto& element : kOfStreams) {
    if (exists(element)) {
      addTo(streams, element.what);
    } else {
      complete = false;
      line(Mark::Missing, element.what, "cannot be played from adaptive and live streams",
           std::string("apt install ") + element.package);
    }
  }
  for (const auto& element : kAlways) {
    if (exists(element)) continue;
    complete = false;
    line(Mark::Missing, element.what, "is not installed", std::string("apt install ") + element.package);
  }
  line(Mark::Good, "formats", files);
  line(Mark::Good, "streams", streams);
  return complete;
}

}  // namespace

ExitCode runDoctor(Runtime& runtime, int& argc, char** argv) {
  kernelClass(runtime.gate());
  admission(runtime);
  memory(*runtime.scheduler().memory());
  hardwareDecoding();
  ioUring();
  pipeWire();
  display(argc, argv);
  return formats() ? ExitCode::Played : ExitCode::CannotOpen;
}

}  // namespace tactus::app
