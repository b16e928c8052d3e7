// SPDX-License-Identifier: Apache-2.0
#include "media/playback/chapters.h"

#include <algorithm>

#include "plugins/gst_handle.h"

namespace tactus::media {
namespace {

void collect(GList* entries, std::vector<Chapter>& into) {
  for (GList* item = entries; item != nullptr; item = item->next) {
    auto* entry = static_cast<GstTocEntry*>(item->data);
    if (gst_toc_entry_get_entry_type(entry) != GST_TOC_ENTRY_TYPE_CHAPTER) {
      collect(gst_toc_entry_get_sub_entries(entry), into);
      continue;
    }
    gint64 start = 0;
    gint64 stop = 0;
    if (gst_toc_entry_get_start_stop_times(entry, &start, &stop) == FALSE || start < 0) continue;
    Chapter chapter;
    chapter.start = Duration(start);
    gchar* title = nullptr;
    GstTagList* tags = gst_toc_entry_get_tags(entry);
    if (tags != nullptr && gst_tag_list_get_string(tags, GST_TAG_TITLE, &title) != FALSE) {
      chapter.title = plugins::CharPtr(title).get();
    } else {
      chapter.title = "Chapter " + std::to_string(into.size() + 1);
    }
    into.push_back(std::move(chapter));
  }
}

}  // namespace

std::vector<Chapter> chaptersOf(GstToc* toc) {
  std::vector<Chapter> chapters;
  for (GList* item = gst_toc_get_entries(toc); item != nullptr && chapters.empty(); item = item->next) {
    auto* edition = static_cast<GstTocEntry*>(item->data);
    if (gst_toc_entry_get_entry_type(edition) == GST_TOC_ENTRY_TYPE_CHAPTER) {
      collect(gst_toc_get_entries(toc), chapters);
    } else {
      collect(gst_toc_entry_get_sub_entries(edition), chapters);
    }
  }
  std::stable_sort(chapters.begin(), chapters.end(),
                   [](const auto& a, const auto& b) { return a.start < b.start; });
  return chapters;
}

}  // namespace tactus::media
