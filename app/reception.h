// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "app/options.h"
#include "app/runtime.h"
#include "media/streaming/network_load.h"
#include "media/streaming/stream_network.h"
#include "media/streaming/stream_receiver.h"

namespace tactus::app {

/// The streams that a run waits for and plays. Main thread.
class Reception {
 public:
  /// A port for each place, whose address with its token goes to standard output, a line each; nothing if no
  /// streams are to come. An error has the place in its sentence. `runtime` outlives it.
  [[nodiscard]] static Result<std::unique_ptr<Reception>> open(const std::vector<StreamOption>& places,
                                                               Runtime& runtime);
  /// A film for each place, which a player waits for.
  [[nodiscard]] std::vector<TileOption> films() const;
  [[nodiscard]] media::NetworkLoad load() const;

 private:
  struct Arriving {
    TileOption film;
    StreamPlace place;
    std::unique_ptr<media::StreamReceiver> receiver;
  };
  explicit Reception(std::unique_ptr<media::StreamNetwork> network) noexcept
      : m_network(std::move(network)) {}

  const std::unique_ptr<media::StreamNetwork> m_network;  // outlives its ports
  std::vector<Arriving> m_arriving;
};

}  // namespace tactus::app
