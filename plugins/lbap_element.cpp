// SPDX-License-Identifier: Apache-2.0
// `tactuslbap`: the LBAP regulator as an element. Passes buffers unchanged, none before its logical arrival
// time less the workahead (HeiTS, "Enforcing LBAP Property").
#include <gst/base/gstbasetransform.h>
#include <gst/gst.h>

#include <atomic>
#include <mutex>
#include <optional>
#include <utility>

#include "core/periodic/kernel/priority_inheritance_mutex.h"
#include "core/periodic/workload/lbap.h"
#include "plugins/elements.h"
#include "plugins/gst_handle.h"

using namespace tactus;
using namespace tactus::plugins;
using periodic::Duration;

namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

// A longer step between two timestamps is a gap in the stream, no pace to keep.
constexpr Duration kLongestSpacing = std::chrono::seconds(10);

struct Regulation {
  // Guards the properties and the caps' rate; the streaming thread takes it after a change only.
  periodic::PriorityInheritanceMutex mutex;
  int numerator = 0, denominator = 1;
  int capsNumerator = 0, capsDenominator = 1;
  guint workahead = 1;
  bool drop = false;
  std::atomic<bool> changed{true};
  std::atomic<bool> reanchor{false};
  periodic::Interrupt interrupt;
  periodic::KernelTime kernelTime;
  periodic::TimeSource* time = &kernelTime;

  // Streaming thread only.
  std::optional<periodic::LbapRegulator> regulator;
  bool timestampsSetThePace = false;
  bool dropsExcess = false;
  GstClockTime lastStamp = GST_CLOCK_TIME_NONE;

  // Written by the streaming thread, read by anybody.
  std::atomic<guint64> packets{0}, violations{0}, misses{0}, dropped{0}, waited{0};
};

enum Property { kRate = 1, kWorkahead, kDrop, kPackets, kViolations, kStats };

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

void applyProperties(Regulation& regulation) noexcept {
  const std::lock_guard lock(regulation.mutex);
  const bool given = regulation.numerator > 0;
  const auto rate = periodic::Rate::create(given ? regulation.numerator : regulation.capsNumerator,
                                           given ? regulation.denominator : regulation.capsDenominator);
  regulation.timestampsSetThePace = !rate.ok();
  regulation.dropsExcess = regulation.drop;
  // Where timestamps set the pace, the rate is for packets that have none.
  const periodic::LbapContract contract{rate.ok() ? rate.value() : periodic::Rate::perSecond(25),
                                        regulation.workahead};
  if (regulation.regulator) {
    regulation.regulator->change(contract);
  } else {
    regulation.regulator.emplace(contract);
  }
}

std::optional<Duration> spacingOf(Regulation& regulation, GstBuffer* buffer) noexcept {
  const GstClockTime stamp = GST_BUFFER_DTS_OR_PTS(buffer);
  const GstClockTime last = std::exchange(regulation.lastStamp, stamp);
  if (!regulation.timestampsSetThePace || !GST_CLOCK_TIME_IS_VALID(stamp) || !GST_CLOCK_TIME_IS_VALID(last))
    return {};
  const auto spacing = Duration(static_cast<std::int64_t>(stamp) - static_cast<std::int64_t>(last));
  if (spacing > kLongestSpacing) regulation.regulator->reanchor();
  return spacing;
}

GstFlowReturn transform(GstBaseTransform* base, GstBuffer* buffer) {
  auto& regulation = regulationOf(base);
  // acquire: pairs with the setters' release.
  if (regulation.changed.exchange(false, std::memory_order_acquire)) applyProperties(regulation);
  // relaxed: the flag is all there is to it.
  if (regulation.reanchor.exchange(false, kRelaxed)) {
    regulation.regulator->reanchor();
    regulation.lastStamp = GST_CLOCK_TIME_NONE;
  }
  auto& regulator = *regulation.regulator;
  const auto spacing = spacingOf(regulation, buffer);
  const periodic::ByteCount size{gst_buffer_get_size(buffer)};
  const auto arrival = regulation.time->now();
  const auto expected = regulator.poll(arrival, spacing, size);
  const bool excess = expected.conformance == periodic::Conformance::Violation;
  if (excess) regulation.violations.fetch_add(1, kRelaxed);
  if (excess && regulation.dropsExcess) {
    regulation.dropped.fetch_add(1, kRelaxed);
    return GST_BASE_TRANSFORM_FLOW_DROPPED;
  }
  const auto verdict = regulator.arrive(arrival, spacing, size);
  auto passed = arrival;
  if (verdict.release > arrival) {
    regulation.time->sleepUntil(verdict.release, regulation.interrupt);
    passed = regulation.time->now();
    regulation.waited.fetch_add(static_cast<guint64>((passed - arrival).count()), kRelaxed);
  }
  regulation.packets.fetch_add(1, kRelaxed);
  // The deadline of the wait itself: the next packet's logical arrival.
  if (passed > verdict.logicalArrival + regulator.contract().rate.period())
    regulation.misses.fetch_add(1, kRelaxed);
  return GST_FLOW_OK;
}

gboolean setCaps(GstBaseTransform* base, GstCaps* caps, GstCaps*) {
  auto& regulation = regulationOf(base);
  int numerator = 0;
  int denominator = 1;
  gst_structure_get_fraction(gst_caps_get_structure(caps, 0), "framerate", &numerator, &denominator);
  const std::lock_guard lock(regulation.mutex);
  regulation.capsNumerator = numerator;
  regulation.capsDenominator = denominator;
  regulation.changed.store(true, std::memory_order_release);
  return TRUE;
}

gboolean sinkEvent(GstBaseTransform* base, GstEvent* event) {
  auto& regulation = regulationOf(base);
  if (GST_EVENT_TYPE(event) == GST_EVENT_FLUSH_START) regulation.interrupt.raise();
  if (GST_EVENT_TYPE(event) == GST_EVENT_FLUSH_STOP) {
    regulation.reanchor.store(true, kRelaxed);
    regulation.interrupt.clear();
  }
  if (GST_EVENT_TYPE(event) == GST_EVENT_SEGMENT) regulation.reanchor.store(true, kRelaxed);
  return GST_BASE_TRANSFORM_CLASS(tactus_lbap_parent_class)->sink_event(base, event);
}

GstStateChangeReturn changeState(GstElement* element, GstStateChange change) {
  auto& regulation = regulationOf(element);
  // Waking first: the parent's change waits for the streaming thread.
  if (change == GST_STATE_CHANGE_PAUSED_TO_READY) regulation.interrupt.raise();
  if (change == GST_STATE_CHANGE_READY_TO_PAUSED) {
    regulation.reanchor.store(true, kRelaxed);
    regulation.interrupt.clear();
  }
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
    case kDrop:
      regulation.drop = g_value_get_boolean(value) != FALSE;
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
  }
  regulation.changed.store(true, std::memory_order_release);
}

GstStructure* statistics(const Regulation& regulation) noexcept {
  return gst_structure_new("tactus-lbap-stats", "packets", G_TYPE_UINT64, regulation.packets.load(kRelaxed),
                           "violations", G_TYPE_UINT64, regulation.violations.load(kRelaxed), "misses",
                           G_TYPE_UINT64, regulation.misses.load(kRelaxed), "dropped", G_TYPE_UINT64,
                           regulation.dropped.load(kRelaxed), "waited", G_TYPE_UINT64,
                           regulation.waited.load(kRelaxed), nullptr);
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
    case kDrop:
      g_value_set_boolean(value, regulation.drop ? TRUE : FALSE);
      break;
    case kStats:
      g_value_take_boxed(value, statistics(regulation));
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
      g_param_spec_uint64("violations", "Violations",
                          "Packets that arrived outside W + tR: they waited, or were dropped", 0, G_MAXUINT64,
                          0, reads));
  g_object_class_install_property(
      object, kDrop,
      g_param_spec_boolean("drop", "Drop", "Drop packets outside W + tR, instead of delaying them", FALSE,
                           both));
  g_object_class_install_property(
      object, kStats,
      g_param_spec_boxed(
          "stats", "Statistics",
          "packets, violations, misses (woken after the next packet's logical arrival), dropped, waited (ns)",
          GST_TYPE_STRUCTURE, reads));
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

void setRegulatorTime(GstElement* regulator, periodic::TimeSource& time) {
  regulationOf(regulator).time = &time;
}

}  // namespace tactus::plugins
