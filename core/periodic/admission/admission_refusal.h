// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/periodic/admission/reservation_contract.h"

namespace tactus::periodic {

/// What a processor lacks to take a contract.
struct Shortfall {
  enum class Reason {
    NoProcessor,   ///< none of those that the contract names may be used
    Capacity,      ///< the share that is kept free would be used
    TestFailed,    ///< a packet could miss its deadline
    TooFewLevels,  ///< the kernel grants fewer priority levels than the tasks need
  } reason = Reason::NoProcessor;
  int cpu = -1;
  double load = 0;    ///< what was compared ...
  double limit = 0;   ///< ... with what: shares of a processor, seconds of response and deadline, or levels
  double others = 0;  ///< Capacity: the share that the others hold
  std::size_t tasks = 0;  ///< TooFewLevels: on that processor
};

/// A contract that would have fitted.
struct Offer {
  enum class Kind { Statistical, LowerFrequency, LowerRate } kind;
  ReservationContract contract;
  std::string sentence;  ///< "at 12 of its 30 pictures a second"
};

/// Why a contract was not admitted.
struct AdmissionRefusal {
  ErrorCode code = ErrorCode::Refused;  ///< or InvalidArgument, NotFound
  std::string sentence;                 ///< whole, with the offers
  /// The test that said no; nullopt where the share of a processor that is kept free would be used.
  std::optional<AdmissionTest> test;
  int cpu = -1;      ///< where it came closest to fitting
  double load = 0;   ///< what the test compared ...
  double limit = 0;  ///< ... with what (utilisations, or response time and deadline in seconds)
  std::vector<Offer> offers;

  /// For what is no question of room: a contract out of range, a thread that is gone.
  [[nodiscard]] static AdmissionRefusal of(Error error);
};

/// The refusal in words, without offers. Thread-safe: yes (pure).
[[nodiscard]] AdmissionRefusal refusalOf(const ReservationContract& contract, const Shortfall& shortfall);

/// Adds what would fit instead, and says so. Thread-safe: yes (pure).
void addOffers(AdmissionRefusal& refusal, std::vector<Offer> offers);

}  // namespace tactus::periodic
