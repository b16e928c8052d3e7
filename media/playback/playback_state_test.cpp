// SPDX-License-Identifier: Apache-2.0
#include "media/playback/playback_state.h"

#include <gtest/gtest.h>

#include <functional>
#include <ostream>
#include <string>
#include <vector>

namespace tactus::media {
namespace {

using Wish = PlaybackState::Wish;
using Drive = PlaybackState::Drive;

using State = PlaybackState;
/// An input, with what the pipeline is to do.
using Input = std::function<Drive(State&)>;

Input told(void (State::*input)() noexcept) {
  return [=](State& state) {
    (state.*input)();
    return Drive{};
  };
}
Input opened(Wish wish, bool seekFirst = false) {
  return [=](State& state) {
    state.open(wish);
    return state.start(seekFirst);
  };
}
const Input kPlay = [](State& state) { return state.want(Wish::Play, false); };
const Input kPause = [](State& state) { return state.want(Wish::Pause, false); };
const Input kPlayBeforeStartPosition = [](State& state) { return state.want(Wish::Play, true); };
const Input kPauseBeforeStartPosition = [](State& state) { return state.want(Wish::Pause, true); };
const Input kStartAgain = [](State& state) { return state.start(true); };
const Input kFollow = [](State& state) { return state.follow(false); };
const Input kFollowAtSpeed = [](State& state) { return state.follow(true); };
const Input kPrerolled = [](State& state) { return state.prerolled(false); };
const Input kPrerolledThenSeek = [](State& state) { return state.prerolled(true); };
const Input kEmpty = [](State& state) { return state.filled(0); };
const Input kHalf = [](State& state) { return state.filled(50); };
const Input kFull = [](State& state) { return state.filled(100); };
const Input kHold = [](State& state) { return state.permit(false); };
const Input kLetGo = [](State& state) { return state.permit(true); };
const Input kSeek = told(&State::seekBegins);
const Input kEnd = told(&State::end);
const Input kFail = told(&State::fail);
const Input kStop = told(&State::stop);
const Input kPlays = [](State& state) {
  (void)state.reachedPlaying();
  return Drive{};
};

const Drive kNothing{};
const Drive kToPlay{Wish::Play};
const Drive kToPause{Wish::Pause};
const Drive kFromTheBeginning{Wish::Play, true};

struct Row {
  std::string name;
  std::vector<Input> before;
  Input input;
  Drive drive;
  PlayState shown;
};
void PrintTo(const Row& row, std::ostream* out) {
  *out << row.name;
}

class Transition : public testing::TestWithParam<Row> {};

TEST_P(Transition, DrivesThePipelineAndShowsTheState) {
  State state;
  for (const Input& input : GetParam().before) (void)input(state);
  EXPECT_EQ(GetParam().input(state), GetParam().drive);
  EXPECT_EQ(state.shown(), GetParam().shown);
}

const Input kOpen = opened(Wish::Play);
const Input kOpenPaused = opened(Wish::Pause);

INSTANTIATE_TEST_SUITE_P(
    PlaybackState, Transition,
    testing::Values(
        // Opening.
        Row{"Open", {}, kOpen, kToPlay, PlayState::Opening},
        Row{"OpenPaused", {}, kOpenPaused, kToPause, PlayState::Opening},
        Row{"OpenAtAPosition", {}, opened(Wish::Play, true), kToPause, PlayState::Opening},
        Row{"OpenPlays", {kOpen}, kPlays, kNothing, PlayState::Playing},
        Row{"OpenPrerolls", {kOpen}, kPrerolled, kToPlay, PlayState::Opening},
        Row{"OpenPausedPrerolls", {kOpenPaused}, kPrerolled, kNothing, PlayState::Paused},
        Row{"OpenPausedAtAPositionPrerolls", {kOpenPaused}, kPrerolledThenSeek, kNothing, PlayState::Opening},
        Row{"PauseWhileOpening", {kOpen}, kPause, kToPause, PlayState::Paused},
        Row{"PauseBeforeTheStartPosition",
            {opened(Wish::Play, true)},
            kPauseBeforeStartPosition,
            kNothing,
            PlayState::Opening},
        Row{"ThenItPrerollsPaused",
            {opened(Wish::Play, true), kPauseBeforeStartPosition},
            kPrerolled,
            kNothing,
            PlayState::Paused},
        Row{"PlayBeforeTheStartPosition",
            {opened(Wish::Pause, true)},
            kPlayBeforeStartPosition,
            kNothing,
            PlayState::Opening},
        Row{"StartAgainKeepsTheWish",
            {kOpenPaused, kPrerolled, kStartAgain},
            kPrerolled,
            kNothing,
            PlayState::Paused},
        Row{"StartAgainOpens", {kOpen, kPlays}, kStartAgain, kToPause, PlayState::Opening},
        // Playing and pausing.
        Row{"Pause", {kOpen, kPlays}, kPause, kToPause, PlayState::Paused},
        Row{"PlayIsShownOnceItPlays", {kOpenPaused, kPrerolled}, kPlay, kToPlay, PlayState::Paused},
        Row{"Play", {kOpenPaused, kPrerolled, kPlay}, kPlays, kNothing, PlayState::Playing},
        Row{"OldNewsOfPlayingAfterPause", {kOpen, kPause}, kPlays, kNothing, PlayState::Paused},
        Row{"SeekWhilePlaying", {kOpen, kPlays}, kSeek, kNothing, PlayState::Playing},
        Row{"SeekDoneWhilePlaying", {kOpen, kPlays, kSeek}, kPrerolled, kToPlay, PlayState::Playing},
        Row{"SeekDoneWhilePaused", {kOpenPaused, kPrerolled, kSeek}, kPrerolled, kNothing, PlayState::Paused},
        // Buffering.
        Row{"RunsEmpty", {kOpen, kPlays}, kHalf, kToPause, PlayState::Buffering},
        Row{"GoesOnFilling", {kOpen, kPlays, kEmpty}, kHalf, kNothing, PlayState::Buffering},
        Row{"IsFull", {kOpen, kPlays, kEmpty}, kFull, kToPlay, PlayState::Buffering},
        Row{"PlaysOn", {kOpen, kPlays, kEmpty, kFull}, kPlays, kNothing, PlayState::Playing},
        Row{"WasFull", {kOpen, kPlays}, kFull, kNothing, PlayState::Playing},
        Row{"PauseWhileFilling", {kOpen, kPlays, kEmpty}, kPause, kToPause, PlayState::Paused},
        Row{"FullWhilePaused", {kOpen, kPlays, kEmpty, kPause}, kFull, kNothing, PlayState::Paused},
        Row{"PlayWhileFilling", {kOpen, kPlays, kEmpty, kPause}, kPlay, kNothing, PlayState::Paused},
        Row{"PrerollsWhileFilling", {kOpen, kEmpty}, kPrerolledThenSeek, kNothing, PlayState::Buffering},
        Row{"OldNewsOfPlayingWhileFilling", {kOpen, kEmpty}, kPlays, kNothing, PlayState::Buffering},
        Row{"ANewPipelineIsNotFilling", {kOpen, kEmpty}, kOpen, kToPlay, PlayState::Opening},
        // Held: there is no room for it beside the others.
        Row{"Hold", {kOpen, kPlays}, kHold, kToPause, PlayState::Held},
        Row{"HoldTwice", {kOpen, kPlays, kHold}, kHold, kNothing, PlayState::Held},
        Row{"LetGo", {kOpen, kPlays, kHold}, kLetGo, kToPlay, PlayState::Held},
        Row{"PlaysOnceItIsLetGo", {kOpen, kPlays, kHold, kLetGo}, kPlays, kNothing, PlayState::Playing},
        Row{"OldNewsOfPlayingWhileHeld", {kOpen, kPlays, kHold}, kPlays, kNothing, PlayState::Held},
        Row{"HoldWhileOpening", {kOpen}, kHold, kToPause, PlayState::Opening},
        Row{"ThenItPrerollsHeld", {kOpen, kHold}, kPrerolled, kNothing, PlayState::Held},
        Row{"HoldWhatIsPaused", {kOpen, kPlays, kPause}, kHold, kNothing, PlayState::Paused},
        Row{"WhatWasPausedStaysPausedWhenLetGo",
            {kOpen, kPlays, kPause, kHold},
            kLetGo,
            kNothing,
            PlayState::Paused},
        Row{"WhatIsPausedWhileHeldStaysPaused",
            {kOpen, kPlays, kHold, kPause},
            kLetGo,
            kNothing,
            PlayState::Paused},
        Row{"PlayWhileHeld", {kOpen, kPlays, kPause, kHold}, kPlay, kToPause, PlayState::Held},
        Row{"ThenLetGo", {kOpen, kPlays, kPause, kHold, kPlay}, kLetGo, kToPlay, PlayState::Held},
        Row{"RunsEmptyWhileHeld", {kOpen, kPlays, kHold}, kEmpty, kToPause, PlayState::Held},
        Row{"LetGoWhileFilling", {kOpen, kPlays, kHold, kEmpty}, kLetGo, kNothing, PlayState::Buffering},
        Row{"FullWhileHeld", {kOpen, kPlays, kEmpty, kHold}, kFull, kNothing, PlayState::Held},
        Row{"SeekDoneWhileHeld", {kOpen, kPlays, kHold, kSeek}, kPrerolled, kNothing, PlayState::Held},
        Row{"PlayAfterTheEndWhileHeld",
            {kOpen, kPlays, kEnd, kHold},
            kPlay,
            Drive{Wish::Pause, true},
            PlayState::Held},
        Row{"AnotherItemIsPermittedAtFirst", {kOpen, kPlays, kHold}, kOpen, kToPlay, PlayState::Opening},
        // The end, and what follows.
        Row{"End", {kOpen, kPlays}, kEnd, kNothing, PlayState::Ended},
        Row{"PlayAfterTheEnd", {kOpen, kPlays, kEnd}, kPlay, kFromTheBeginning, PlayState::Ended},
        Row{"ItBeginsAnew", {kOpen, kPlays, kEnd, kPlay}, kPlays, kNothing, PlayState::Playing},
        Row{"PauseAfterTheEnd", {kOpen, kPlays, kEnd}, kPause, kToPause, PlayState::Paused},
        Row{"SeekAfterTheEnd", {kOpen, kPlays, kEnd}, kSeek, kNothing, PlayState::Playing},
        Row{"SeekAfterTheEndOfAPausedFilm",
            {kOpenPaused, kPrerolled, kEnd},
            kSeek,
            kNothing,
            PlayState::Paused},
        Row{"NextItem", {kOpen, kPlays}, kFollow, kToPlay, PlayState::Playing},
        Row{"NextItemAtASpeed", {kOpen, kPlays}, kFollowAtSpeed, kToPause, PlayState::Playing},
        Row{"NextItemOfAPausedFilm", {kOpen, kPlays, kPause}, kFollow, kToPause, PlayState::Paused},
        // Failing and stopping.
        Row{"Fail", {kOpen}, kFail, kNothing, PlayState::Failed},
        Row{"PlayAfterFailing", {kOpen, kFail}, kPlay, kNothing, PlayState::Failed},
        Row{"OldNewsOfPlayingAfterFailing", {kOpen, kFail}, kPlays, kNothing, PlayState::Failed},
        Row{"Stop", {kOpen, kPlays}, kStop, kNothing, PlayState::Idle},
        Row{"PauseWithNothingOpen", {}, kPause, kNothing, PlayState::Idle},
        Row{"OpenAfterFailing", {kOpen, kFail}, kOpen, kToPlay, PlayState::Opening}),
    [](const auto& row) { return row.param.name; });

TEST(PlaybackState, OldNewsOfPlayingIsRefused) {
  State state;
  EXPECT_FALSE(state.reachedPlaying());
  (void)kOpen(state);
  EXPECT_TRUE(state.reachedPlaying());
  (void)kPause(state);
  EXPECT_FALSE(state.reachedPlaying());
}

}  // namespace
}  // namespace tactus::media
