// SPDX-License-Identifier: Apache-2.0
// A film that one port sends and another receives, into a player.
#include <unistd.h>

#include <algorithm>

#include "core/net/port/port_host.h"
#include "media/playback/player_fixture.h"
#include "media/streaming/outgoing_film.h"
#include "plugins/av/stream_bytes.h"

namespace tactus::media::testing {
namespace {

namespace fs = std::filesystem;
using net::BitRate;
using net::Port;
using net::PortHost;
using net::PortType;
using net::ReadHandler;
using net::StreamAddress;
using net::StreamBuffer;
using net::StreamState;
using net::TransportKind;
using net::WriteHandler;
using plugins::av::Cancellation;
using plugins::av::StreamBytes;

constexpr BitRate kFast = BitRate::perSecond(20'000'000);

class SentFilmTest : public PlayerTest, public ::testing::WithParamInterface<TransportKind> {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "tactus-sent-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    m_folder = pattern;
    PortHost::Options options;
    options.local = StreamAddress::Unix{m_folder + "/host"};
    auto started = PortHost::start(m_portScheduler, options);
    ASSERT_TRUE(started.ok()) << started.error().message;
    m_host = std::move(started).value();
    stream = std::move(StreamBytes::create("Ada's film", 1 << 20)).value();
  }
  void TearDown() override {
    player.reset();
    stream->end("");
    m_reader.reset();
    m_writer.reset();
    m_host.reset();
    fs::remove_all(m_folder);
  }
  static void expectOk(const Result<void>& result) { ASSERT_TRUE(result.ok()) << result.error().message; }
  void make(const std::string& name, PortType type, std::unique_ptr<Port>& port) {
    auto made = m_host->create(name, type, film->contract());
    ASSERT_TRUE(made.ok()) << made.error().message;
    port = std::move(made).value();
  }
  /// Sends the film from one port to another, which puts it into the stream.
  void send(const fs::path& path, std::optional<BitRate> rate = {}) {
    auto opened = OutgoingFilm::open(path.string(), {.transport = GetParam(), .rate = rate},
                                     std::make_shared<Cancellation>());
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    film = std::move(opened).value();
    make("reader", PortType::Read, m_reader);
    make("writer", PortType::Write, m_writer);
    expectOk(m_reader->attach(ReadHandler([this](const StreamBuffer& buffer) {
      while (!stream->waitForRoom(buffer.bytes.size(), 500ms))
        if (stream->isEnded()) return;
      m_whole = stream->put(buffer.bytes) && m_whole;
    })));
    expectOk(
        m_writer->attach(WriteHandler([this](std::span<std::byte> buffer) { return film->write(buffer); })));
    expectOk(m_writer->connect(*m_host->localAddress("reader"), m_reader->token()));
    expectOk(m_reader->start());
    expectOk(m_writer->start());
  }
  /// Until the sender has sent all, and the receiver has it.
  void awaitEnd() {
    expectOk(m_reader->await(StreamState::Attached, kPatience));
    EXPECT_EQ(m_reader->query().error, "");
    EXPECT_TRUE(m_whole);
  }

  std::unique_ptr<StreamBytes> stream;
  std::unique_ptr<OutgoingFilm> film;

 private:
  periodic::KernelTime m_time;
  periodic::Scheduler m_portScheduler{m_time, *gate, trace};
  std::string m_folder;
  std::unique_ptr<PortHost> m_host;
  std::unique_ptr<Port> m_reader, m_writer;
  std::atomic<bool> m_whole{true};
};

TEST_P(SentFilmTest, AFilmPlaysWholeWhereItIsReceived) {
  const auto path = numberedFilm(100);
  send(path, kFast);
  open(stream->url());
  awaitEnd();
  stream->end("");
  ASSERT_TRUE(ended());
  EXPECT_EQ(screen->numbers(), upTo(100));
}

TEST_P(SentFilmTest, ItsContractCarriesATransportStreamToItsEnd) {
  send(media::testing::film("sent.ts", {"-i", numberedFilm(100).string(), "-c:v", "copy", "-c:a", "mp2"}));
  open(stream->url());
  awaitEnd();
  stream->end(film->problem());
  ASSERT_TRUE(ended());
  EXPECT_EQ(screen->numbers(), upTo(100));
}

INSTANTIATE_TEST_SUITE_P(All, SentFilmTest, ::testing::Values(TransportKind::Local, TransportKind::Tcp),
                         [](const auto& kind) { return std::string(net::nameOf(kind.param)); });

}  // namespace
}  // namespace tactus::media::testing
