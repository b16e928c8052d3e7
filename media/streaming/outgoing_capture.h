// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gst/gst.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "media/streaming/outgoing_queue.h"
#include "media/streaming/outgoing_stream.h"
#include "plugins/av/byte_source.h"
#include "plugins/event_descriptor.h"
#include "plugins/gst_handle.h"

namespace tactus::media {

/// A camera, a microphone, or both, that are encoded (H.264, Opus) and sent as they come, as MPEG's transport
/// stream. Where a receiver is slow, pictures and sound are left out before they are encoded. Thread-safe:
/// yes, but for the destructor; one thread writes.
class OutgoingCapture final : public OutgoingStream {
 public:
  /// One device, and how it is encoded.
  struct Device {
    std::string name = {};  ///< "/dev/video0", or a source of PulseAudio's; empty: the default
    net::BitRate rate;      ///< of what is encoded
    std::string source;     ///< GStreamer's element that captures, as gst-launch-1.0 takes it
  };
  [[nodiscard]] static Device camera(std::string name = {}) {
    return {std::move(name), net::BitRate::perSecond(2'500'000), "v4l2src"};
  }
  [[nodiscard]] static Device microphone(std::string name = {}) {
    return {std::move(name), net::BitRate::perSecond(96'000), "pulsesrc client-name=Tactus"};
  }
  struct Options {
    net::TransportKind transport = net::TransportKind::Tcp;
    std::optional<Device> camera = {}, microphone = {};  ///< one at least
  };

  /// Begins to capture, and waits until the first bytes are there, ten seconds at most. Errors, one sentence:
  /// InvalidArgument (no device; the rates), Unsupported (an encoder is not installed), NotFound, Unavailable
  /// (the device), Timeout; Unavailable once cancelled.
  [[nodiscard]] static Result<std::unique_ptr<OutgoingCapture>> open(
      const Options& options, const plugins::av::Cancellation& cancellation);
  ~OutgoingCapture() override;
  OutgoingCapture(const OutgoingCapture&) = delete;
  OutgoingCapture& operator=(const OutgoingCapture&) = delete;

  [[nodiscard]] net::StreamContract contract() const override { return m_contract; }
  [[nodiscard]] std::optional<std::size_t> write(std::span<std::byte> buffer) noexcept override {
    m_wanted.store(true, std::memory_order_relaxed);
    return m_queue.take(buffer, periodic::Duration::max());  // all of it is of now
  }
  [[nodiscard]] std::string problem() const override;

 private:
  OutgoingCapture(const net::StreamContract& contract, bool pictures);
  [[nodiscard]] Result<void> build(const Options& options);
  [[nodiscard]] Result<void> start(const Options& options, const plugins::av::Cancellation& cancellation);
  [[nodiscard]] Result<void> checkMicrophone(const Options& options) const;
  [[nodiscard]] bool joins(GstElement* sink, const GstBuffer* buffer);
  void noteBegun();
  void fail(GstMessage* message);
  [[nodiscard]] std::optional<Error> failure() const;
  static GstFlowReturn onSample(GstElement* sink, gpointer self);
  static GstBusSyncReply onMessage(GstBus* bus, GstMessage* message, gpointer self);

  const net::StreamContract m_contract;
  const bool m_pictures;
  OutgoingQueue m_queue;
  std::atomic<bool> m_begun{false};                                // relaxed: bytes have come
  std::atomic<bool> m_wanted{false};                               // relaxed: somebody takes them
  enum class Joining { No, Asked, Done } m_joining = Joining::No;  // the sink's thread
  plugins::EventDescriptor m_changed;

  mutable std::mutex m_mutex;  // guards what follows, for moments
  std::optional<Error> m_failure = {};
  plugins::ElementPtr m_pipeline;  // last: its threads use all of these
};

}  // namespace tactus::media
