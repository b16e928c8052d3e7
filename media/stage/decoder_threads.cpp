// SPDX-License-Identifier: Apache-2.0
#include "media/stage/decoder_threads.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace tactus::media {
namespace {

unsigned nextNumber() {
  static std::atomic<unsigned> counter{0};
  return counter.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

int decoderThreadsFor(double pixelsPerSecond, int processors) noexcept {
  if (pixelsPerSecond <= 1280.0 * 720 * 32) return 1;
  const int needed = pixelsPerSecond <= 1920.0 * 1080 * 61 ? 2 : 4;
  return std::min(needed, std::max(1, processors));
}

int limitDecoderThreads(GstElement* decoder, int threads) {
  int limited = 1;
  for (const char* property : {"max-threads", "threads"}) {
    if (g_object_class_find_property(G_OBJECT_GET_CLASS(decoder), property) == nullptr) continue;
    // The property's type differs from decoder to decoder.
    gst_util_set_object_arg(G_OBJECT(decoder), property, std::to_string(threads).c_str());
    limited = threads;
  }
  return limited;
}

DecoderThreads::DecoderThreads(std::string_view prefix)
    : m_name(std::string(prefix) + std::to_string(nextNumber())) {}

void DecoderThreads::nameThisThread() const {
  pthread_setname_np(pthread_self(), m_name.c_str());
}

std::vector<pid_t> DecoderThreads::find() const {
  std::vector<pid_t> found;
  std::error_code failure;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task", failure)) {
    std::ifstream file(entry.path() / "comm");
    std::string name;
    std::getline(file, name);
    if (name == m_name) found.push_back(static_cast<pid_t>(std::atoi(entry.path().filename().c_str())));
  }
  return found;
}

void DecoderThreads::rename(pid_t thread, std::string_view name) {
  std::ofstream("/proc/self/task/" + std::to_string(thread) + "/comm") << name;
}

}  // namespace tactus::media
