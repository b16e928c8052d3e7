// SPDX-License-Identifier: Apache-2.0
#include "conference/carriage/ingress_name.h"

#include <libsoup/soup.h>

#include "conference/room/plain_text.h"
#include "conference/room/room_facts.h"
#include "conference/room/session_key.h"

namespace tactus::conference {
namespace {

/// Empty: there is none.
std::string nameIn(const std::string& query) {
  GHashTable* const fields = soup_form_decode(query.c_str());
  const auto* const value = static_cast<const char*>(g_hash_table_lookup(fields, "name"));
  std::string name = value != nullptr ? value : "";
  g_hash_table_unref(fields);
  return name;
}

/// Empty: it is none.
std::string asName(std::string_view text) {
  if (text.size() > kLongestName || !isUtf8(text) || SessionKey::parse(text)) return {};
  return plainName(text);
}

}  // namespace

std::string ingressName(const std::string& query, std::string_view bearer) {
  const std::string inQuery = nameIn(query);
  for (const std::string_view text : {std::string_view(inQuery), bearer})
    if (std::string name = asName(text); !name.empty()) return name;
  return "Stream";
}

}  // namespace tactus::conference
