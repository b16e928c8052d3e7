// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "conference/page_files.h"

namespace tactus::conference {

void addPage(Routes& routes) {
  for (const PageFile& file : pageFiles()) {
    const RouteHandler answer = [file](const DoorRequest&, const Reply& reply) {
      reply({200, std::string(file.type), {}, std::string(file.content)});
    };
    routes.add("GET", "page/" + std::string(file.name), answer);
    if (file.name == "index.html") routes.add("GET", "", answer);
  }
}

}  // namespace tactus::conference
