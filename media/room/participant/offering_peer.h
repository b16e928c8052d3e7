// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gst/gst.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/periodic/result.h"
#include "core/periodic/time/time.h"
#include "media/room/track_feed.h"
#include "plugins/event_descriptor.h"
#include "plugins/gst_handle.h"

namespace tactus::media {

/// What the transport of a call is doing, as ICE and DTLS say.
enum class TransportState { Connecting, Connected, Closed, Lost };

/// A webrtcbin that makes the offer, in a pipeline of its own, with the settings that a call in a room needs:
/// one bundle, no UPnP, no trickle ICE. Thread-safe: yes, but for start(), stop() and the destructor.
/// Real-time-safe: no.
class OfferingPeer {
 public:
  struct Options {
    /// Local IP addresses that are offered; empty: all of this machine but the loopback device's.
    std::vector<std::string> addresses = {};
    /// How long a lost packet is waited for; received sound and pictures are played this much later.
    periodic::Duration latency = std::chrono::milliseconds(100);
  };
  /// All are called in threads of the pipeline, must not block, and may be null.
  struct Hooks {
    std::function<void(GstMessage*)> onStreamStatus;  ///< in the streaming thread that it is about
    std::function<void(GstPad*)> onPad;               ///< packets of a track come out of this one
    std::function<void(GstElement*)> onElement;       ///< of webrtcbin's inside; before it has data
    /// TWCC feedback came; its "RTPTWCCPackets".
    std::function<void(const GstStructure&)> onTransportWide;
  };

  /// Loads what calls are made of, and makes the certificate that all of this program's have: some hundred
  /// milliseconds that the first call need not take. Thread-safe: yes.
  static void prepare();
  /// `wake` is signalled whenever state() or fault() may have changed, and outlives the peer. Errors:
  /// Unavailable: an element of GStreamer is missing; InvalidArgument: an address is none.
  [[nodiscard]] static Result<std::unique_ptr<OfferingPeer>> create(const Options& options, Hooks hooks,
                                                                    plugins::EventDescriptor& wake);
  ~OfferingPeer();
  OfferingPeer(const OfferingPeer&) = delete;
  OfferingPeer& operator=(const OfferingPeer&) = delete;

  [[nodiscard]] GstElement* pipeline() const noexcept { return m_pipeline.get(); }

  // Before start().
  /// What is linked to the pad returned is sent. Null: webrtcbin refused it.
  [[nodiscard]] plugins::PadPtr send(MediaKind kind);
  /// A track of this kind is received, in the first of these formats that the other end knows.
  void receive(const GstCaps& caps);

  /// The pipeline plays. Error Unavailable: something in it does not start; the reason.
  [[nodiscard]] Result<void> start();
  /// SDP with all candidates. Waits until all that is sent has a format, ten seconds at most. Errors:
  /// Timeout; Unavailable: the pipeline failed meanwhile; the reason.
  [[nodiscard]] Result<std::string> offer();
  /// Error InvalidArgument, one sentence: the answer is no SDP, or does not fit the offer.
  [[nodiscard]] Result<void> accept(std::string_view answer);

  [[nodiscard]] TransportState state() const;
  /// The first error of the pipeline, as a sentence; empty: there was none.
  [[nodiscard]] std::string fault() const;
  /// Of which kind the device is that does not work, if that is the fault.
  [[nodiscard]] std::optional<MediaKind> brokenDevice() const;
  /// What is to be sent does not come; the first that is told counts.
  void fail(MediaKind broken, const std::string& why);
  /// Statistics of the RTP session, and of each of its sources ("application/x-rtp-source-stats"); null
  /// before offer().
  [[nodiscard]] plugins::StructurePtr rtpStatistics() const;
  /// Sinks wait as long as the stages before them need, which may have changed. Not from a streaming thread.
  void followLatency();
  /// Ends all of GStreamer's threads. Once is enough.
  void stop();

 private:
  OfferingPeer(Hooks hooks, plugins::EventDescriptor& wake) : m_hooks(std::move(hooks)), m_wake(wake) {}
  Result<void> build(const Options& options);
  Result<void> tuneIce(const Options& options);
  void tuneRtp();
  [[nodiscard]] bool waitFor(bool (OfferingPeer::*condition)() const);
  [[nodiscard]] bool hasFormats() const { return m_hasFormats || !m_fault.empty(); }
  [[nodiscard]] bool hasCandidates() const;

  static void onGathered(GObject* agent, guint stream, gpointer self);
  static void onNegotiationNeeded(GstElement*, gpointer self);
  static void onPad(GstElement*, GstPad* pad, gpointer self);
  static void onElement(GstBin*, GstBin*, GstElement* element, gpointer self);
  static void onChange(GObject*, GParamSpec*, gpointer self);
  static void onSessionPad(GstElement*, GstPad* pad, gpointer self);
  void watchFeedback(GstPad* pad);
  static GstPadProbeReturn onUpstream(GstPad*, GstPadProbeInfo* info, gpointer self);
  static GstBusSyncReply onMessage(GstBus*, GstMessage* message, gpointer self);
  void fail(GstMessage* message);

  const Hooks m_hooks;
  plugins::EventDescriptor& m_wake;
  plugins::ElementPtr m_pipeline, m_webrtc;
  std::unique_ptr<GObject, plugins::Releaser<g_object_unref>> m_agent;  // libnice's, of m_webrtc
  bool m_stopped = false;
  std::atomic<bool> m_latencyChanged{false}, m_watched{false};

  mutable std::mutex m_mutex;  // guards what follows
  std::condition_variable m_changed;
  bool m_hasFormats = false;
  std::optional<periodic::TimePoint> m_gathered;  // when the agent had all candidates
  std::string m_fault;
  std::optional<MediaKind> m_broken;  // of it
  plugins::ElementPtr m_session;      // rtpsession of the bundle; set once by offer()
};

}  // namespace tactus::media
