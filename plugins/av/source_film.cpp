// SPDX-License-Identifier: Apache-2.0
#include "plugins/av/source_film.h"

#include <mutex>
#include <utility>

#include "plugins/av/film_facts.h"
#include "plugins/av/packet_format.h"
#include "plugins/av/refusal.h"

namespace tactus::plugins::av {
namespace {

using periodic::Duration;

/// A film that turns out to be longer than it said is told of in such steps.
constexpr Duration kLonger = std::chrono::seconds(1);

}  // namespace

SourceFilm::SourceFilm(GstElement* element, guint number, const std::string& path, Duration patience,
                       std::shared_ptr<SubtitleFeed> subtitles, ThreadHooks hooks, Owner& owner)
    : m_element(element),
      m_number(number),
      m_path(path),
      m_feed(std::move(subtitles)),
      m_hooks(std::move(hooks)),
      m_owner(owner),
      m_catalogue(element),
      m_buffering(element),
      m_reader(path, patience, *this) {}

/// At once, or in its turn once the film plays.
void SourceFilm::post(GstMessage* message) {
  {
    const std::lock_guard lock(m_mutex);
    if (!m_present) {
      m_untold.emplace_back(message);
      return;
    }
  }
  (void)gst_element_post_message(m_element, message);
}

void SourceFilm::present() {
  std::vector<MessagePtr> untold;
  {
    const std::lock_guard lock(m_mutex);
    m_present = true;
    untold.swap(m_untold);
  }
  if (opened()) {
    postStreams();
    // The sinks have told them already, of the film before.
    if (m_tags) post(gst_message_new_tag(GST_OBJECT_CAST(m_element), gst_tag_list_ref(m_tags.get())));
  }
  for (auto& message : untold) (void)gst_element_post_message(m_element, message.release());
}

bool SourceFilm::isPresent() {
  const std::lock_guard lock(m_mutex);
  return m_present;
}

void SourceFilm::onOpened(const Demuxer& film) {
  m_catalogue.open(film);
  m_seekable.store(film.seekable(), kRelaxed);
  m_length.store(film.duration().value_or(Duration{-1}).count(), kRelaxed);
  m_tags = filmTags(film);
  m_subtitles = SubtitleFeed::of(film, m_catalogue.prefix(), m_path, m_reader.store());
  for (const AVMediaType kind : {AVMEDIA_TYPE_VIDEO, AVMEDIA_TYPE_AUDIO}) setPlaying(kind, film.best(kind));
  if (playing(AVMEDIA_TYPE_VIDEO) < 0 && playing(AVMEDIA_TYPE_AUDIO) < 0)
    return onRefused({ErrorCode::Corrupt, "There is nothing to see or hear in it."});
  m_owner.onOpened(*this);
  m_opened.store(true, std::memory_order_release);  // all of these before
  if (isPresent()) postStreams();
  if (GstToc* contents = contentsOf(film)) {
    post(gst_message_new_toc(GST_OBJECT_CAST(m_element), contents, FALSE));
    gst_toc_unref(contents);
  }
  m_owner.onReady(*this);
}

/// Of a film that was to follow who opens it for itself says so.
void SourceFilm::onRefused(const Error& why) {
  m_refused.store(true, kRelaxed);
  m_owner.onRefused(*this);
  if (isPresent()) postRefusal(m_element, why);
}

void SourceFilm::onBrokeOff(const std::string& why) {
  m_broken.store(!why.empty(), kRelaxed);
  GstStructure* fields = gst_structure_new("tactus-broke-off", "why", G_TYPE_STRING, why.c_str(), nullptr);
  post(gst_message_new_element(GST_OBJECT_CAST(m_element), fields));
}

/// What was read is more than any header's word. Where that says nothing, nor do we before the end.
void SourceFilm::onRead(Duration length) {
  m_buffering.grow(m_reader.store());
  if (const std::int64_t known = this->length(); known >= 0 && length.count() > known + kLonger.count())
    setLength(length);
}

void SourceFilm::onEnd(Duration length) {
  post(gst_message_new_element(GST_OBJECT_CAST(m_element), gst_structure_new_empty("tactus-read-to-end")));
  if (broken()) onBrokeOff("");  // it went on after a seek
  if (length > Duration::zero()) setLength(length);
}

void SourceFilm::setLength(Duration length) {
  if (m_length.exchange(length.count(), kRelaxed) == length.count()) return;
  post(gst_message_new_duration_changed(GST_OBJECT_CAST(m_element)));
}

void SourceFilm::onTags(const Demuxer& film, AVPacket& packet) {
  attachTags(packet, filmTags(film));
}

void SourceFilm::postStreams() {
  m_catalogue.post(m_feed->files(), [this](const char* id) { return isChosen(id); });
}

void SourceFilm::postChosen() {
  m_catalogue.postChosen([this](const char* id) { return isChosen(id); });
}

bool SourceFilm::isChosen(const char* id) const {
  for (const AVMediaType kind : {AVMEDIA_TYPE_VIDEO, AVMEDIA_TYPE_AUDIO}) {
    const auto* stream = m_catalogue.find(playing(kind));
    if (stream != nullptr && !silent(kind) && stream->id == id) return true;
  }
  const auto subtitles = m_feed->chosen(SubtitleFeed::Place::Main);
  return subtitles && subtitles->id == id;
}

}  // namespace tactus::plugins::av
