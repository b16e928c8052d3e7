// SPDX-License-Identifier: Apache-2.0
// One end of a trial of rtss-throughput over gRPC, as its users write it: a call that streams from the
// client.
#include <byte_sink.grpc.pb.h>
#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>

#include "tests/lab/rpc_peers/rpc_arguments.h"

namespace tactus::lab {
namespace {

class CountingSink final : public ByteSink::Service {
 public:
  explicit CountingSink(TrialPage& page) : m_page(page) {}
  grpc::Status Write(grpc::ServerContext* /*context*/, grpc::ServerReader<Buffer>* reader,
                     Nothing* /*answer*/) override {
    Buffer buffer;
    while (reader->Read(&buffer)) m_page.arrived.add(buffer.content().size());
    return grpc::Status::OK;
  }

 private:
  TrialPage& m_page;
};

int receive(const RpcArguments& arguments) {
  CountingSink sink(*arguments.page);
  int port = 0;
  grpc::ServerBuilder builder;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
  builder.RegisterService(&sink);
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  if (!server) return 1;
  arguments.page->port.store(static_cast<std::uint32_t>(port), std::memory_order_release);
  server->Wait();
  return 0;
}

int send(const RpcArguments& arguments) {
  const std::uint32_t port = arguments.page->port.load(std::memory_order_acquire);
  const auto channel =
      grpc::CreateChannel("127.0.0.1:" + std::to_string(port), grpc::InsecureChannelCredentials());
  const auto stub = ByteSink::NewStub(channel);
  grpc::ClientContext context;
  Nothing answer;
  const auto writer = stub->Write(&context, &answer);
  Buffer buffer;
  buffer.set_content(std::string(arguments.size, 'x'));
  while (writer->Write(buffer)) arguments.page->sent.add(arguments.size);
  return 1;
}

}  // namespace
}  // namespace tactus::lab

int main(int argc, char** argv) {
  const auto arguments = tactus::lab::RpcArguments::of(argc, argv);
  if (!arguments) return 2;
  return arguments->sends ? tactus::lab::send(*arguments) : tactus::lab::receive(*arguments);
}
