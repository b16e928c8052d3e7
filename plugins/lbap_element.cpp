// SPDX-License-Identifier: Apache-2.0
// `tactuslbap`: the LBAP regulator as an element. Passes buffers unchanged, none before its logical arrival
// time less the workahead (HeiTS, "Enforcing LBAP Property").
#include <gst/base/gstbasetransform.h>
#include <gst/gst.h>

#include <atomic>
#include <mutex>
#include <optional>

#include "core/periodic/lbap.h"
#include "plugins/elements.h"
#include "plugins/gst_handle.h"

using namespace tactus;
using namespace tactus::plugins;
using periodic::Duration;

namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

struct Regulation {
  std::mutex mutex;  // properties; the streaming thread takes it when they changed
  int numerator = 0, denominator = 1;
  int capsNumerator = 0, capsDenominator = 1;
  guint workahead = 1;
  std::atomic<bool> changed{true};
  std::atomic<bool> reanchor{false};
  periodic::Interrupt interrupt;
  periodic::KernelTime time;

  // Streaming thread only.
  std::optional<periodic::LbapRegulator> regulator;
  GstClockTime lastStamp = GST_CLOCK_TIME_NONE;

  std::atomic<guint64> packets{0}, violations{0}, waited{0};
};

enum Property { kRate = 1, kWorkahead, kPackets, kViolations, kWaited };

}  // namespace

struct TactusLbap {
  GstBaseTransform parent;
  Regulation* regulation;
};
struct TactusLbapClass {
  GstBaseTransformClass parent;
};

G_DEFINE_TYPE(TactusLbap, tactus_lbap, GST_TYPE_BASE_TRANSFORM)

namespace {

Regulation& regulationOf(gpointer element) noexcept {
  return *reinterpret_cast<TactusLbap*>(element)->regulation;
}

void applyProperties(Regulation& regulation) {
  const std::lock_guard lock(regulation.mutex);
  const bool given = regulation.numerator > 0;
  const int numerator = given ? regulation.numerator : regulation.capsNumerator;
  const int denominator = given ? regulation.denominator : regulation.capsDenominator;
  // Neither given nor in the caps: timestamps set the pace, 25 a second until there are two of them.
  auto rate = periodic::Rate::create(numerator, denominator);
  const periodic::LbapContract contract{rate.ok() ? rate.value() : periodic::Rate::perSecond(25),
                                        regulation.workahead};
  if (regulation.regulator) {
    regulation.regulator->change(contract);
  } else {
    regulation.regulator.emplace(contract);
  }
}

std::optional<Duration> spacingOf(Regulation& regulation, GstBuffer* buffer) {
  const GstClockTime stamp = GST_BUFFER_DTS_OR_PTS(buffer);
  const GstClockTime last = std::exchange(regulation.lastStamp, stamp);
  if (regulation.numerator > 0 || !GST_CLOCK_TIME_IS_VALID(stamp) || !GST_CLOCK_TIME_IS_VALID(last))
    return {};
  return Duration(static_cast<std::int64_t>(stamp) - static_cast<std::int64_t>(last));
}

GstFlowReturn transform(GstBaseTransform* base, GstBuffer* buffer) {
  auto& regulation = regulationOf(base);
  // acquire: pairs with the setters' release.
  if (regulation.changed.exchange(false, std::memory_order_acquire)) applyProperties(regulation);
  if (regulation.reanchor.exchange(false, std::memory_order_acquire)) {
    regulation.regulator->reanchor();
    regulation.lastStamp = GST_CLOCK_TIME_NONE;
  }
  const auto arrival = regulation.time.now();
  const auto verdict = regulation.regulator->arrive(arrival, spacingOf(regulation, buffer),
                                                    periodic::ByteCount{gst_buffer_get_size(buffer)});
  regulation.packets.fetch_add(1, kRelaxed);
  if (verdict.conformance == periodic::Conformance::Violation) regulation.violations.fetch_add(1, kRelaxed);
  if (verdict.release > arrival) {
    regulation.time.sleepUntil(verdict.release, regulation.interrupt);
    regulation.waited.fetch_add(static_cast<guint64>((regulation.time.now() - arrival).count()), kRelaxed);
  }
  return GST_FLOW_OK;
}

gboolean setCaps(GstBaseTransform* base, GstCaps* caps, GstCaps*) {
  auto& regulation = regulationOf(base);
  const std::lock_guard lock(regulation.mutex);
  int numerator = 0;
  int denominator = 1;
  if (gst_structure_get_fraction(gst_caps_get_structure(caps, 0), "framerate", &numerator, &denominator)) {
    regulation.capsNumerator = numerator;
    regulation.capsDenominator = denominator;
  }
  regulation.changed.store(true, std::memory_order_release);
  return TRUE;
}

gboolean sinkEvent(GstBaseTransform* base, GstEvent* event) {
  auto& regulation = regulationOf(base);
  if (GST_EVENT_TYPE(event) == GST_EVENT_FLUSH_START) regulation.interrupt.raise();
  if (GST_EVENT_TYPE(event) == GST_EVENT_FLUSH_STOP) {
    regulation.reanchor.store(true, std::memory_order_release);
    regulation.interrupt.clear();
  }
  if (GST_EVENT_TYPE(event) == GST_EVENT_SEGMENT) regulation.reanchor.store(true, std::memory_order_release);
  return GST_BASE_TRANSFORM_CLASS(tactus_lbap_parent_class)->sink_event(base, event);
}

GstStateChangeReturn changeState(GstElement* element, GstStateChange change) {
  auto& regulation = regulationOf(element);
  // Waking first: the parent's change waits for the streaming thread.
  if (change == GST_STATE_CHANGE_PAUSED_TO_READY) regulation.interrupt.raise();
  if (change == GST_STATE_CHANGE_READY_TO_PAUSED) {
    regulation.reanchor.store(true, std::memory_order_release);
    regulation.interrupt.clear();
  }
  if (change == GST_STATE_CHANGE_PAUSED_TO_PLAYING)
    regulation.reanchor.store(true, std::memory_order_release);
  return GST_ELEMENT_CLASS(tactus_lbap_parent_class)->change_state(element, change);
}

void setProperty(GObject* object, guint id, const GValue* value, GParamSpec* spec) {
  auto& regulation = regulationOf(object);
  const std::lock_guard lock(regulation.mutex);
  switch (id) {
    case kRate:
      regulation.numerator = gst_value_get_fraction_numerator(value);
      regulation.denominator = gst_value_get_fraction_denominator(value);
      break;
    case kWorkahead:
      regulation.workahead = g_value_get_uint(value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
  }
  regulation.changed.store(true, std::memory_order_release);
}

void getProperty(GObject* object, guint id, GValue* value, GParamSpec* spec) {
  auto& regulation = regulationOf(object);
  const std::lock_guard lock(regulation.mutex);
  switch (id) {
    case kRate:
      gst_value_set_fraction(value, regulation.numerator, regulation.denominator);
      break;
    case kWorkahead:
      g_value_set_uint(value, regulation.workahead);
      break;
    case kPackets:
      g_value_set_uint64(value, regulation.packets.load(kRelaxed));
      break;
    case kViolations:
      g_value_set_uint64(value, regulation.violations.load(kRelaxed));
      break;
    case kWaited:
      g_value_set_uint64(value, regulation.waited.load(kRelaxed));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
  }
}

void installProperties(GObjectClass* object) {
  const auto both = static_cast<GParamFlags>(G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS);
  const auto reads = static_cast<GParamFlags>(G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_property(
      object, kRate,
      gst_param_spec_fraction("rate", "Rate",
                              "Packets per second; 0/1 takes the caps' frame rate, else the timestamps", 0, 1,
                              G_MAXINT, 1, 0, 1, both));
  g_object_class_install_property(
      object, kWorkahead,
      g_param_spec_uint("workahead", "Workahead", "Packets that may pass without waiting (W)", 1, 100000, 1,
                        both));
  g_object_class_install_property(
      object, kPackets, g_param_spec_uint64("packets", "Packets", "Passed so far", 0, G_MAXUINT64, 0, reads));
  g_object_class_install_property(
      object, kViolations,
      g_param_spec_uint64("violations", "Violations", "Packets that arrived outside W + tR and had to wait",
                          0, G_MAXUINT64, 0, reads));
  g_object_class_install_property(
      object, kWaited,
      g_param_spec_uint64("waited", "Waited", "Time packets have waited, in ns", 0, G_MAXUINT64, 0, reads));
}

}  // namespace

static void tactus_lbap_init(TactusLbap* self) {
  self->regulation = new Regulation;
  gst_base_transform_set_in_place(GST_BASE_TRANSFORM_CAST(self), TRUE);
  gst_base_transform_set_passthrough(GST_BASE_TRANSFORM_CAST(self), TRUE);
}

static void tactus_lbap_class_init(TactusLbapClass* klass) {
  auto* object = G_OBJECT_CLASS(klass);
  object->set_property = setProperty;
  object->get_property = getProperty;
  object->finalize = [](GObject* self) {
    delete reinterpret_cast<TactusLbap*>(self)->regulation;
    G_OBJECT_CLASS(tactus_lbap_parent_class)->finalize(self);
  };
  installProperties(object);
  auto* element = GST_ELEMENT_CLASS(klass);
  gst_element_class_set_static_metadata(element, "Tactus LBAP regulator", "Filter/Generic",
                                        "Lets at most W + tR buffers pass in any time t",
                                        "The Tactus authors");
  const CapsPtr any(gst_caps_new_any());
  gst_element_class_add_pad_template(element,
                                     gst_pad_template_new("sink", GST_PAD_SINK, GST_PAD_ALWAYS, any.get()));
  gst_element_class_add_pad_template(element,
                                     gst_pad_template_new("src", GST_PAD_SRC, GST_PAD_ALWAYS, any.get()));
  element->change_state = changeState;
  auto* base = GST_BASE_TRANSFORM_CLASS(klass);
  base->transform_ip = transform;
  base->transform_ip_on_passthrough = TRUE;
  base->set_caps = setCaps;
  base->sink_event = sinkEvent;
}

namespace tactus::plugins {

GType lbapType() {
  return tactus_lbap_get_type();
}

}  // namespace tactus::plugins
