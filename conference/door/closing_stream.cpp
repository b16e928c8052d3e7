// SPDX-License-Identifier: Apache-2.0
#include "conference/door/closing_stream.h"

#include <utility>

namespace {

// GObject's macros make plain C names; here they are local to this file.
struct ClosingStream {
  GIOStream parent;
  GIOStream* base;
  std::function<void()>* closed;
};
struct ClosingStreamClass {
  GIOStreamClass parent;
};

G_DEFINE_TYPE(ClosingStream, tactus_closing_stream, G_TYPE_IO_STREAM)

ClosingStream* of(gpointer stream) {
  return static_cast<ClosingStream*>(stream);
}

void tactus_closing_stream_init(ClosingStream* stream) {
  stream->base = nullptr;
  stream->closed = new std::function<void()>();
}

void tactus_closing_stream_class_init(ClosingStreamClass* type) {
  auto* stream = reinterpret_cast<GIOStreamClass*>(type);
  stream->get_input_stream = [](GIOStream* self) { return g_io_stream_get_input_stream(of(self)->base); };
  stream->get_output_stream = [](GIOStream* self) { return g_io_stream_get_output_stream(of(self)->base); };
  stream->close_fn = [](GIOStream* self, GCancellable*, GError**) -> gboolean {
    if (*of(self)->closed) std::exchange(*of(self)->closed, {})();
    return TRUE;
  };
  G_OBJECT_CLASS(type)->finalize = [](GObject* self) {
    g_object_unref(of(self)->base);
    delete of(self)->closed;
    G_OBJECT_CLASS(tactus_closing_stream_parent_class)->finalize(self);
  };
}

}  // namespace

namespace tactus::conference {

ObjectRef<GIOStream> closingStream(GIOStream* base, std::function<void()> closed) {
  auto* stream = static_cast<ClosingStream*>(g_object_new(tactus_closing_stream_get_type(), nullptr));
  stream->base = static_cast<GIOStream*>(g_object_ref(base));
  *stream->closed = std::move(closed);
  return ObjectRef<GIOStream>::take(&stream->parent);
}

}  // namespace tactus::conference
