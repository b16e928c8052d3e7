// SPDX-License-Identifier: Apache-2.0
#include "app/reception.h"

#include <iostream>
#include <optional>
#include <string>

namespace tactus::app {
Result<std::unique_ptr<Reception>> Reception::open(const std::vector<StreamOption>& places,
                                                   Runtime& runtime) {
  auto network = media::StreamNetwork::start(runtime.scheduler(), runtime.qos(), std::nullopt);
  if (!network.ok()) return network.error();
  std::unique_ptr<Reception> reception(new Reception(std::move(network).value()));
  for (const StreamOption& each : places) {
    const auto failed = [&](const Error& error) {
      return Error{error.code, each.place.shown() + ": " + error.message};
    };
    auto host = reception->m_network->listeningAt(each.place.address);
    if (!host.ok()) return failed(host.error());
    std::optional<std::string> token;
    if (!each.place.token.empty()) token = each.place.token;
    auto receiver = media::StreamReceiver::start(*host.value(), each.place.address.name, each.place.transport,
                                                 std::move(token));
    if (!receiver.ok()) return failed(receiver.error());
    Arriving arriving{each.source, each.place, std::move(receiver).value()};
    arriving.place.token = arriving.receiver->token();
    arriving.film.item = arriving.receiver->url();
    if (arriving.film.terms.name.empty()) arriving.film.terms.name = each.place.address.name;
    std::cout << arriving.place.text() << std::endl;  // now: whoever sends waits for it
    reception->m_arriving.push_back(std::move(arriving));
  }
  return reception;
}

std::vector<TileOption> Reception::films() const {
  std::vector<TileOption> films;
  for (const Arriving& each : m_arriving) films.push_back(each.film);
  return films;
}

media::NetworkLoad Reception::load() const {
  media::NetworkLoad load;
  for (const Arriving& each : m_arriving)
    load.streams.push_back(
        {each.film.terms.name, each.place.shown(), net::PortType::Read, each.receiver->query()});
  return load;
}

}  // namespace tactus::app
