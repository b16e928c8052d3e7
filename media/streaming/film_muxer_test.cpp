// SPDX-License-Identifier: Apache-2.0
#include "media/streaming/film_muxer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "media/playback/test_films.h"

namespace tactus::media::testing {
namespace {

using plugins::av::Cancellation;
using plugins::av::Demuxer;
using plugins::av::openFile;
using Container = FilmMuxer::Container;
using Outcome = FilmMuxer::Outcome;

Result<std::unique_ptr<FilmMuxer>> muxerOf(const std::filesystem::path& path) {
  auto cancellation = std::make_shared<Cancellation>();
  auto source = openFile(path.string(), cancellation);
  if (!source.ok()) return source.error();
  return FilmMuxer::open(std::move(source).value(), path.filename().string(), std::move(cancellation));
}

struct Muxed {
  Container container = Container::TransportStream;
  std::string bytes;
  bool ordered = true;
  Outcome outcome = Outcome::Packet;
};

Muxed muxed(const std::filesystem::path& path) {
  Muxed all;
  auto made = muxerOf(path);
  EXPECT_TRUE(made.ok()) << (made.ok() ? "" : made.error().message);
  if (!made.ok()) return all;
  FilmMuxer& muxer = *made.value();
  all.container = muxer.container();
  periodic::Duration last{0};
  while (all.outcome == Outcome::Packet) {
    const auto piece = muxer.next();
    all.outcome = piece.outcome;
    all.ordered = all.ordered && piece.at >= last;
    last = piece.at;
    all.bytes.append(reinterpret_cast<const char*>(piece.bytes.data()), piece.bytes.size());
  }
  return all;
}

/// Instants of all packets of the best pictures and the best sound, in milliseconds from the first picture
/// (or sound, where there is none).
std::map<AVMediaType, std::vector<double>> instantsOf(const std::filesystem::path& path) {
  std::map<AVMediaType, std::vector<double>> instants;
  const auto cancellation = std::make_shared<Cancellation>();
  auto source = openFile(path.string(), cancellation);
  EXPECT_TRUE(source.ok());
  auto opened = Demuxer::open(std::move(source).value(), path.filename().string(), cancellation);
  EXPECT_TRUE(opened.ok()) << opened.error().message;
  Demuxer& film = *opened.value();
  for (;;) {
    const auto read = film.read();
    if (read.outcome != Outcome::Packet) break;
    for (const AVMediaType kind : {AVMEDIA_TYPE_VIDEO, AVMEDIA_TYPE_AUDIO})
      if (read.stream == film.best(kind))
        instants[kind].push_back(static_cast<double>(read.packet->pts) / 1e6);
  }
  const double begin = instants.begin()->second.front();
  for (auto& [kind, each] : instants)
    for (double& instant : each) instant -= begin;
  return instants;
}

/// A film and its copy have the same packets at the same instants, within a unit of either container.
void expectSamePackets(const std::filesystem::path& path, const Muxed& copy) {
  EXPECT_EQ(copy.outcome, Outcome::End);
  EXPECT_TRUE(copy.ordered);
  const auto was = instantsOf(path);
  const auto is = instantsOf(fileOf("copy of " + path.filename().string(), copy.bytes));
  ASSERT_EQ(is.size(), was.size());
  for (const auto& [kind, instants] : was) {
    const auto& copied = is.at(kind);
    ASSERT_EQ(copied.size(), instants.size()) << kind;
    for (std::size_t i = 0; i < instants.size(); ++i) ASSERT_NEAR(copied[i], instants[i], 1.1) << i;
  }
}

TEST(FilmMuxer, WhatATransportStreamCarriesGoesInOne) {
  const auto path = plainFilm(5);
  const Muxed copy = muxed(path);
  EXPECT_EQ(copy.container, Container::TransportStream);
  EXPECT_EQ(copy.bytes.size() % 188, 0u);
  for (std::size_t at = 0; at < copy.bytes.size(); at += 188) ASSERT_EQ(copy.bytes[at], '\x47') << at;
  expectSamePackets(path, copy);
}

TEST(FilmMuxer, WhatItDoesNotCarryGoesInMatroska) {
  const auto path = numberedFilm(100);  // FLAC
  const Muxed copy = muxed(path);
  EXPECT_EQ(copy.container, Container::Matroska);
  expectSamePackets(path, copy);
}

TEST(FilmMuxer, SoundAloneIsSent) {
  const auto path = film("sound.mp3", words("-f lavfi -i sine=440:r=48000:d=3 -c:a libmp3lame"));
  const Muxed copy = muxed(path);
  EXPECT_EQ(copy.container, Container::TransportStream);
  expectSamePackets(path, copy);
}

TEST(FilmMuxer, OfManyTracksTheBestPicturesAndTheBestSoundAreSent) {
  const auto path = manyTracks();
  expectSamePackets(path, muxed(path));
}

TEST(FilmMuxer, SubtitlesAloneAreNotSent) {
  const auto path = film("lines alone.mkv", {"-i", manyTracks().string(), "-map", "0:s:0", "-c", "copy"});
  const auto made = muxerOf(path);
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().message, "'lines alone.mkv' has no pictures and no sound that can be sent.");
}

TEST(FilmMuxer, WhatIsNoFilmIsRefusedInASentence) {
  const auto made = muxerOf(fileOf("no film.bin", std::string(100'000, '\x55')));
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().code, ErrorCode::Unsupported);
  EXPECT_EQ(made.error().message, "'no film.bin' is no film or sound that Tactus knows.");
}

}  // namespace
}  // namespace tactus::media::testing
