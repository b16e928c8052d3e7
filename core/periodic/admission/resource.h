// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/periodic/result.h"

namespace tactus::periodic {

/// What a stream asks of one resource.
struct Claim {
  std::string name;   ///< of the stream, shown to people
  double amount = 0;  ///< in the resource's unit
};

/// Why a share of a resource was not given.
struct ResourceRefusal {
  std::string resource;  ///< "memory"
  std::string test;      ///< what was compared: "sum of the shares"
  double needs = 0;      ///< what the test compared ...
  double left = 0;       ///< ... with what, in the resource's unit
  /// The largest share that would have been given; absent: none.
  std::optional<double> offer;
  /// Streams each of which would make enough room alone if it closed: the smallest share first, two at most.
  std::vector<std::string> closing;
  std::string sentence;  ///< whole
};

enum class ShareId : std::uint64_t { None = 0 };

/// Something that streams share, of which a share can be held (RTSS, section 4.3: CPU, memory, network).
/// Thread-safe: yes. Real-time-safe: no.
class Resource {
 public:
  virtual ~Resource() = default;
  [[nodiscard]] virtual std::string_view name() const noexcept = 0;
  /// What hold() would answer; nullopt: it would be given.
  [[nodiscard]] virtual std::optional<ResourceRefusal> test(const Claim& claim) const = 0;
  [[nodiscard]] virtual Result<ShareId, ResourceRefusal> hold(const Claim& claim) = 0;
  /// Refused: the share stays what it was.
  [[nodiscard]] virtual Result<void, ResourceRefusal> change(ShareId share, const Claim& claim) = 0;
  /// An unknown share does nothing.
  virtual void giveBack(ShareId share) noexcept = 0;
};

/// Shares of several resources that are held together, and given back when this goes. Thread-safe: no.
class HeldShares {
 public:
  /// What is asked of which resource. Shared with who else uses the resource.
  struct Asked {
    std::shared_ptr<Resource> resource;
    Claim claim;
  };
  /// All or nothing: after a refusal nothing is held, and it is that of the first resource which refused.
  [[nodiscard]] static Result<HeldShares, ResourceRefusal> hold(std::vector<Asked> asked);

  HeldShares() = default;
  ~HeldShares() { giveBack(); }
  HeldShares(HeldShares&& other) noexcept : m_held(std::move(other.m_held)) { other.m_held.clear(); }
  HeldShares& operator=(HeldShares&& other) noexcept;
  HeldShares(const HeldShares&) = delete;
  HeldShares& operator=(const HeldShares&) = delete;

  /// The last to be held first.
  void giveBack() noexcept;
  [[nodiscard]] bool empty() const noexcept { return m_held.empty(); }

 private:
  struct Held {
    std::shared_ptr<Resource> resource;
    ShareId share = ShareId::None;
  };
  std::vector<Held> m_held;
};

}  // namespace tactus::periodic
