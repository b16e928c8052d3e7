// SPDX-License-Identifier: Apache-2.0
// One end of a trial of rtss-throughput over Cap'n Proto, as its users write it: streaming calls, which its
// flow control lets through.
#include <byte_sink.capnp.h>
#include <capnp/ez-rpc.h>

#include <cstdio>
#include <string>
#include <vector>

#include "tests/lab/rpc_peers/rpc_arguments.h"

namespace tactus::lab {
namespace {

class CountingSink final : public ByteSink::Server {
 public:
  explicit CountingSink(TrialPage& page) : m_page(page) {}
  kj::Promise<void> write(WriteContext context) override {
    m_page.arrived.add(context.getParams().getContent().size());
    return kj::READY_NOW;
  }

 private:
  TrialPage& m_page;
};

void receive(const RpcArguments& arguments) {
  capnp::EzRpcServer server(kj::heap<CountingSink>(*arguments.page), "127.0.0.1");
  auto& scope = server.getWaitScope();
  arguments.page->port.store(server.getPort().wait(scope), std::memory_order_release);
  kj::NEVER_DONE.wait(scope);
}

void send(const RpcArguments& arguments) {
  const std::uint32_t port = arguments.page->port.load(std::memory_order_acquire);
  capnp::EzRpcClient client("127.0.0.1:" + std::to_string(port));
  auto& scope = client.getWaitScope();
  ByteSink::Client sink = client.getMain<ByteSink>();
  const std::vector<kj::byte> content(arguments.size);
  for (;;) {
    auto request = sink.writeRequest();
    request.setContent(kj::arrayPtr(content.data(), content.size()));
    request.send().wait(scope);
    arguments.page->sent.add(arguments.size);
  }
}

}  // namespace
}  // namespace tactus::lab

int main(int argc, char** argv) {
  const auto arguments = tactus::lab::RpcArguments::of(argc, argv);
  if (!arguments) return 2;
  try {
    arguments->sends ? tactus::lab::send(*arguments) : tactus::lab::receive(*arguments);
  } catch (const kj::Exception& thrown) {
    std::fprintf(stderr, "Cap'n Proto: %s\n", thrown.getDescription().cStr());
  }
  return 1;
}
