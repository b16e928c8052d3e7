// SPDX-License-Identifier: Apache-2.0
// `tactuslink`: waits for its turn on a link that it shares with others of its process, so that what goes to
// udpsink, an RTSP server or webrtcbin leaves by class and weight (QLinux, section 2.3). Buffers pass
// unchanged; one that waits too long is dropped.
#include <gst/base/gstbasetransform.h>
#include <gst/gst.h>

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <semaphore>
#include <string>
#include <utility>

#include "core/net/link/link_task.h"
#include "plugins/elements.h"
#include "plugins/gst_handle.h"
#include "plugins/shared_links.h"

using namespace tactus;
using namespace tactus::plugins;
using net::LinkClass;
using periodic::Duration;

namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;
constexpr guint kHeaders = 42;  // of UDP, IPv4 and Ethernet

/// The buffer that waits. One at a time: the streaming thread waits for it.
struct Turn : net::LinkRequest {
  Turn() noexcept {
    done = [](net::LinkRequest& self, net::LinkOutcome got) noexcept {
      auto& turn = static_cast<Turn&>(self);
      turn.outcome = got.what;
      turn.told.release();
    };
  }
  net::LinkOutcome::What outcome = net::LinkOutcome::What::Sent;
  std::binary_semaphore told{0};
};

struct LinkSeat {
  periodic::PriorityInheritanceMutex
      mutex;  // guards what follows; the streaming thread takes it for an offer, and does not wait in it
  std::string link = "link";
  std::string name = {};  // of the flow; empty: the element's
  guint64 linkRate = 0, rate = 0, deadline = 0;
  guint burst = 0, headers = kHeaders;
  LinkClass linkClass = LinkClass::Bulk;
  double weight = 1;
  std::shared_ptr<net::LinkTask> given = {};  // instead of the one of the name `link`
  std::shared_ptr<net::LinkTask> task = {};   // shared with the other elements on it
  net::LinkFlow flow = {};
  bool flushes = false;

  Turn turn;             // offered by the streaming thread
  bool dropped = false;  // the streaming thread's: the buffer before was

  std::atomic<guint64> sent{0}, late{0};
};

enum Property { kLink = 1, kLinkRate, kName, kClass, kWeight, kRate, kBurst, kDeadline, kOverhead, kStats };

}  // namespace

struct TactusLink {
  GstBaseTransform parent;
  LinkSeat* seat;
};
struct TactusLinkClass {
  GstBaseTransformClass parent;
};

G_DEFINE_TYPE(TactusLink, tactus_link, GST_TYPE_BASE_TRANSFORM)

namespace {

LinkSeat& seatOf(gpointer element) noexcept {
  return *reinterpret_cast<TactusLink*>(element)->seat;
}

GType linkClassType() {
  static const GType type = [] {
    static std::array<GEnumValue, net::kLinkClassCount + 1> values{};
    for (const net::LinkClassRow& row : net::kLinkClasses)
      values[static_cast<std::size_t>(row.linkClass)] = {static_cast<gint>(row.linkClass), row.name.data(),
                                                         row.name.data()};
    return g_enum_register_static("TactusLinkClassOfFlow", values.data());
  }();
  return type;
}

std::optional<std::string> openFlow(GstElement* element, LinkSeat& seat) {
  const std::lock_guard lock(seat.mutex);
  if (seat.given) {
    seat.task = seat.given;
  } else {
    auto found = sharedLink(seat.link);
    if (!found.ok()) return found.error().message;
    seat.task = std::move(found).value();
  }
  if (seat.linkRate > 0) {
    const auto rate = net::BitRate::create(static_cast<std::int64_t>(seat.linkRate));
    if (!rate.ok()) return rate.error().message;
    seat.task->setRate(rate.value());
  }
  net::FlowSpec spec;
  spec.name = seat.name.empty() ? std::string(GST_OBJECT_NAME(element)) : seat.name;
  spec.linkClass = seat.linkClass;
  spec.weight = seat.weight;
  if (seat.deadline > 0) spec.longestWait = Duration(static_cast<std::int64_t>(seat.deadline));
  if (seat.rate > 0) {
    const auto rate = net::BitRate::create(static_cast<std::int64_t>(seat.rate));
    if (!rate.ok()) return rate.error().message;
    // Without a word on it, a tenth of a second may come at once: a keyframe.
    const std::size_t burst =
        seat.burst > 0 ? seat.burst : rate.value().bytesIn(std::chrono::milliseconds(100));
    spec.contract = net::ByteContract{rate.value(), burst};
  }
  auto opened = seat.task->open(spec);
  if (!opened.ok()) return opened.error().sentence;
  seat.flow = std::move(opened).value();
  return std::nullopt;
}

gboolean start(GstBaseTransform* base) {
  LinkSeat& seat = seatOf(base);
  seat.dropped = false;
  if (const auto refused = openFlow(GST_ELEMENT_CAST(base), seat)) {
    GST_ELEMENT_ERROR(base, RESOURCE, BUSY, ("%s", refused->c_str()), (nullptr));
    return FALSE;
  }
  return TRUE;
}

gboolean stop(GstBaseTransform* base) {
  LinkSeat& seat = seatOf(base);
  net::LinkFlow flow;
  std::shared_ptr<net::LinkTask> task;
  {
    const std::lock_guard lock(seat.mutex);
    flow = std::move(seat.flow);
    task = std::move(seat.task);
  }
  flow.close();  // before the link may go
  return TRUE;
}

/// Whoever waits goes on, and nobody waits until it is over.
void flush(LinkSeat& seat, bool flushes) {
  const std::lock_guard lock(seat.mutex);
  seat.flushes = flushes;
  if (flushes && seat.flow.isOpen()) seat.flow.takeBack(seat.turn);
}

GstFlowReturn transform(GstBaseTransform* base, GstBuffer* buffer) {
  LinkSeat& seat = seatOf(base);
  {
    const std::lock_guard lock(seat.mutex);
    if (seat.flushes) return GST_FLOW_FLUSHING;
    seat.turn.bytes = gst_buffer_get_size(buffer) + seat.headers;
    // Never full: nothing of this flow waits.
    (void)seat.flow.offer(seat.turn);
  }
  seat.turn.told.acquire();
  switch (seat.turn.outcome) {
    case net::LinkOutcome::What::Sent:
      seat.sent.fetch_add(1, kRelaxed);
      if (std::exchange(seat.dropped, false)) GST_BUFFER_FLAG_SET(buffer, GST_BUFFER_FLAG_DISCONT);
      return GST_FLOW_OK;
    case net::LinkOutcome::What::Late:
    case net::LinkOutcome::What::Failed:
      seat.late.fetch_add(1, kRelaxed);
      seat.dropped = true;
      return GST_BASE_TRANSFORM_FLOW_DROPPED;
    case net::LinkOutcome::What::TakenBack:
      break;
  }
  return GST_FLOW_FLUSHING;
}

gboolean sinkEvent(GstBaseTransform* base, GstEvent* event) {
  if (GST_EVENT_TYPE(event) == GST_EVENT_FLUSH_START) flush(seatOf(base), true);
  if (GST_EVENT_TYPE(event) == GST_EVENT_FLUSH_STOP) flush(seatOf(base), false);
  return GST_BASE_TRANSFORM_CLASS(tactus_link_parent_class)->sink_event(base, event);
}

GstStateChangeReturn changeState(GstElement* element, GstStateChange change) {
  // Waking first: the parent's change waits for the streaming thread.
  if (change == GST_STATE_CHANGE_PAUSED_TO_READY) flush(seatOf(element), true);
  if (change == GST_STATE_CHANGE_READY_TO_PAUSED) flush(seatOf(element), false);
  return GST_ELEMENT_CLASS(tactus_link_parent_class)->change_state(element, change);
}

void setProperty(GObject* object, guint id, const GValue* value, GParamSpec* spec) {
  LinkSeat& seat = seatOf(object);
  const std::lock_guard lock(seat.mutex);
  const auto text = [value] {
    const gchar* given = g_value_get_string(value);
    return std::string(given != nullptr ? given : "");
  };
  switch (id) {
    case kLink:
      seat.link = text();
      break;
    case kName:
      seat.name = text();
      break;
    case kLinkRate:
      seat.linkRate = g_value_get_uint64(value);
      break;
    case kClass:
      seat.linkClass = static_cast<LinkClass>(g_value_get_enum(value));
      break;
    case kWeight:
      seat.weight = g_value_get_double(value);
      break;
    case kRate:
      seat.rate = g_value_get_uint64(value);
      break;
    case kBurst:
      seat.burst = g_value_get_uint(value);
      break;
    case kDeadline:
      seat.deadline = g_value_get_uint64(value);
      break;
    case kOverhead:
      seat.headers = g_value_get_uint(value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
  }
}

void getProperty(GObject* object, guint id, GValue* value, GParamSpec* spec) {
  LinkSeat& seat = seatOf(object);
  const std::lock_guard lock(seat.mutex);
  switch (id) {
    case kLink:
      g_value_set_string(value, seat.link.c_str());
      break;
    case kName:
      g_value_set_string(value, seat.name.c_str());
      break;
    case kLinkRate:
      g_value_set_uint64(value, seat.linkRate);
      break;
    case kClass:
      g_value_set_enum(value, static_cast<gint>(seat.linkClass));
      break;
    case kWeight:
      g_value_set_double(value, seat.weight);
      break;
    case kRate:
      g_value_set_uint64(value, seat.rate);
      break;
    case kBurst:
      g_value_set_uint(value, seat.burst);
      break;
    case kDeadline:
      g_value_set_uint64(value, seat.deadline);
      break;
    case kOverhead:
      g_value_set_uint(value, seat.headers);
      break;
    case kStats:
      g_value_take_boxed(
          value, gst_structure_new("tactus-link-stats", "sent", G_TYPE_UINT64, seat.sent.load(kRelaxed),
                                   "late", G_TYPE_UINT64, seat.late.load(kRelaxed), nullptr));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
  }
}

void installProperties(GObjectClass* object) {
  const auto both = static_cast<GParamFlags>(G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS);
  const auto reads = static_cast<GParamFlags>(G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  const auto install = [object](Property id, GParamSpec* spec) {
    g_object_class_install_property(object, id, spec);
  };
  install(kLink, g_param_spec_string("link", "Link", "Name of the link; elements of the same name share one",
                                     "link", both));
  install(kLinkRate, g_param_spec_uint64("link-rate", "Link rate",
                                         "Bits a second that the link carries; 0 leaves it as it is", 0,
                                         static_cast<guint64>(net::BitRate::kLargest), 0, both));
  install(kName,
          g_param_spec_string("flow", "Flow", "Name of the flow; empty takes the element's", "", both));
  install(kClass,
          g_param_spec_enum("class", "Class", "Served before the ones after it; all but bulk need a rate",
                            linkClassType(), static_cast<gint>(LinkClass::Bulk), both));
  install(kWeight, g_param_spec_double("weight", "Weight", "Share among the streams, or among bulk",
                                       periodic::kLeastShareWeight, periodic::kLargestShareWeight, 1, both));
  install(kRate,
          g_param_spec_uint64("rate", "Rate",
                              "Bits a second of the contract, beyond which buffers wait; 0 = no contract", 0,
                              static_cast<guint64>(net::BitRate::kLargest), 0, both));
  install(kBurst,
          g_param_spec_uint("burst", "Burst", "Bytes beyond the rate that may come at once; 0 = 100 ms of it",
                            0, G_MAXUINT, 0, both));
  install(kDeadline,
          g_param_spec_uint64("deadline", "Deadline",
                              "Nanoseconds that a buffer may wait, then it is dropped; 0 = the class's", 0,
                              G_MAXINT64, 0, both));
  install(kOverhead,
          g_param_spec_uint("overhead", "Overhead", "Bytes of headers that each buffer gets on the link", 0,
                            65535, kHeaders, both));
  install(kStats, g_param_spec_boxed("stats", "Statistics", "sent, late: buffers passed, and dropped",
                                     GST_TYPE_STRUCTURE, reads));
}

}  // namespace

static void tactus_link_init(TactusLink* self) {
  self->seat = new LinkSeat;
  gst_base_transform_set_in_place(GST_BASE_TRANSFORM_CAST(self), TRUE);
  gst_base_transform_set_passthrough(GST_BASE_TRANSFORM_CAST(self), TRUE);
}

static void tactus_link_class_init(TactusLinkClass* klass) {
  auto* object = G_OBJECT_CLASS(klass);
  object->set_property = setProperty;
  object->get_property = getProperty;
  object->finalize = [](GObject* self) {
    delete reinterpret_cast<TactusLink*>(self)->seat;
    G_OBJECT_CLASS(tactus_link_parent_class)->finalize(self);
  };
  installProperties(object);
  auto* element = GST_ELEMENT_CLASS(klass);
  gst_element_class_set_static_metadata(element, "Tactus link", "Filter/Network",
                                        "Lets each buffer pass when it is its turn on a shared link",
                                        "The Tactus authors");
  const CapsPtr any(gst_caps_new_any());
  gst_element_class_add_pad_template(element,
                                     gst_pad_template_new("sink", GST_PAD_SINK, GST_PAD_ALWAYS, any.get()));
  gst_element_class_add_pad_template(element,
                                     gst_pad_template_new("src", GST_PAD_SRC, GST_PAD_ALWAYS, any.get()));
  element->change_state = changeState;
  auto* base = GST_BASE_TRANSFORM_CLASS(klass);
  base->start = start;
  base->stop = stop;
  base->transform_ip = transform;
  base->transform_ip_on_passthrough = TRUE;
  base->sink_event = sinkEvent;
}

namespace tactus::plugins {

GType linkType() {
  return tactus_link_get_type();
}

void setLink(GstElement* element, std::shared_ptr<net::LinkTask> link) {
  LinkSeat& seat = seatOf(element);
  const std::lock_guard lock(seat.mutex);
  seat.given = std::move(link);
}

}  // namespace tactus::plugins
