// SPDX-License-Identifier: Apache-2.0
#include "conference/door/routes.h"

#include <optional>

namespace tactus::conference {
namespace {

/// What the "*" stands for; nothing if the path is another one.
std::optional<std::string> match(std::string_view route, std::string_view path) {
  if (!route.ends_with('*')) return route == path ? std::optional<std::string>("") : std::nullopt;
  route.remove_suffix(1);
  if (!path.starts_with(route)) return std::nullopt;
  return std::string(path.substr(route.size()));
}

}  // namespace

Routes& Routes::add(std::string method, std::string path, RouteHandler handler) {
  m_routes.push_back({std::move(method), std::move(path), std::move(handler)});
  return *this;
}

Routes::Found Routes::find(std::string_view method, std::string_view path) const {
  Found found;
  for (const Route& route : m_routes) {
    const auto rest = match(route.path, path);
    if (!rest) continue;
    found.allowed += (found.allowed.empty() ? "" : ", ") + route.method;
    const bool fits = route.method == method || (route.method == "GET" && method == "HEAD");
    if (!fits || found.handler != nullptr) continue;
    found.handler = &route.handler;
    found.rest = *rest;
  }
  return found;
}

}  // namespace tactus::conference
