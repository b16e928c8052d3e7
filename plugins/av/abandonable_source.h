// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "core/periodic/result.h"
#include "plugins/av/byte_source.h"

namespace tactus::plugins::av {

/// A source whose calls are made by a thread of its own, one at a time: a call that cannot be cancelled (a
/// name server that does not answer) is left alone once somebody cancels. It ends by itself, then the thread
/// does. What a read brings after it was left comes with the next one.
class AbandonableSource final : public ByteSource {
 public:
  /// Opens the source, on its thread, with the cancellation that is to end its waits where it can.
  using Opening = std::function<Result<std::unique_ptr<ByteSource>>(std::shared_ptr<Cancellation>)>;

  /// Errors: those of `opening`; Unavailable with an empty sentence once cancelled; System.
  [[nodiscard]] static Result<std::unique_ptr<ByteSource>> open(Opening opening,
                                                                std::shared_ptr<Cancellation> cancellation);
  ~AbandonableSource() override;
  AbandonableSource(const AbandonableSource&) = delete;
  AbandonableSource& operator=(const AbandonableSource&) = delete;

  int read(std::span<std::uint8_t> into) override;
  bool seek(std::int64_t position) override;
  void renew() override { m_renews = true; }
  [[nodiscard]] std::int64_t size() const override { return m_size; }
  [[nodiscard]] bool seekable() const override { return m_seekable; }
  [[nodiscard]] std::string news() override;

 private:
  struct Shared;
  using Call = std::function<void(Shared&)>;

  explicit AbandonableSource(std::shared_ptr<Cancellation> cancellation);
  /// Whether no call is being made any more; false once cancelled.
  [[nodiscard]] bool awaitIdle();
  /// Whether the call was made; false once cancelled: it goes on then.
  [[nodiscard]] bool perform(Call call);

  const std::shared_ptr<Cancellation> m_cancellation;  // shared with who cancels
  const std::shared_ptr<Shared> m_shared;              // shared with the thread, which may last longer
  std::size_t m_taken = 0;                             // of the bytes last read
  std::int64_t m_size = -1;
  bool m_seekable = false;
  bool m_renews = false;
};

}  // namespace tactus::plugins::av
