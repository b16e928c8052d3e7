// SPDX-License-Identifier: Apache-2.0
#include "media/room/participant/call_stage.h"

#include <utility>

#include "plugins/gst_handle.h"

namespace tactus::media {
namespace {

constexpr auto kData =
    static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST);

std::size_t bytesOf(const GstPadProbeInfo* info) noexcept {
  if ((info->type & GST_PAD_PROBE_TYPE_BUFFER_LIST) != 0)
    return gst_buffer_list_calculate_size(GST_PAD_PROBE_INFO_BUFFER_LIST(info));
  return gst_buffer_get_size(GST_PAD_PROBE_INFO_BUFFER(info));
}

}  // namespace

CallStage::CallStage(StageAdopter& adopter, Terms terms, GstPad* input, GstPad* output, Look onInput,
                     Look onOutput)
    : m_terms(std::move(terms)),
      m_onInput(std::move(onInput)),
      m_onOutput(std::move(onOutput)),
      m_input(plugins::share<plugins::PadPtr>(input)),
      m_output(plugins::share<plugins::PadPtr>(output)),
      m_task(adopter) {
  m_inputProbe = gst_pad_add_probe(input, kData, enter, this, nullptr);
  if (output != nullptr) m_outputProbe = gst_pad_add_probe(output, kData, leave, this, nullptr);
}

CallStage::~CallStage() {
  gst_pad_remove_probe(m_input.get(), m_inputProbe);
  if (m_output) gst_pad_remove_probe(m_output.get(), m_outputProbe);
}

GstPadProbeReturn CallStage::enter(GstPad* pad, GstPadProbeInfo* info, gpointer data) {
  auto& self = *static_cast<CallStage*>(data);
  self.begin(bytesOf(info));
  self.m_entered.fetch_add(1, std::memory_order_release);
  if (self.m_onInput) self.m_onInput(pad, info);
  if (auto* task = self.m_task.here(); task != nullptr && !self.m_output) task->complete();
  return GST_PAD_PROBE_OK;
}

GstPadProbeReturn CallStage::leave(GstPad* pad, GstPadProbeInfo* info, gpointer data) {
  auto& self = *static_cast<CallStage*>(data);
  if (self.m_onOutput) self.m_onOutput(pad, info);
  if (!self.m_task.isHere()) return GST_PAD_PROBE_OK;
  if (auto* task = self.m_task.here()) task->complete();  // once a packet, however many buffers it becomes
  return GST_PAD_PROBE_OK;
}

void CallStage::begin(std::size_t bytes) {
  if (!m_task.isHere()) {
    periodic::TaskContract contract = periodic::contractOf(m_terms.stage);
    if (!m_terms.name.empty()) contract.name += " (" + m_terms.name + ")";
    contract.lbap = m_terms.lbap;
    contract.early = periodic::EarlyPackets::Clocked;
    (void)m_task.bind(std::move(contract));
  }
  periodic::Task* task = m_task.here();
  if (task == nullptr) return;
  if (m_terms.enforces) {
    task->enforce({}, periodic::ByteCount{bytes});
  } else {
    task->pass({}, periodic::ByteCount{bytes});
  }
}

}  // namespace tactus::media
