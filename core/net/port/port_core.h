// SPDX-License-Identifier: Apache-2.0
#pragma once

// Internal to core/net/port: a port as its host's thread and its owner share it.

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/net/link/link_task.h"
#include "core/net/port/agreed_period.h"
#include "core/net/port/control_connection.h"
#include "core/net/port/data_path.h"
#include "core/net/port/port.h"
#include "core/net/port/port_qos.h"
#include "core/net/port/port_thread.h"
#include "core/net/port/read_loop.h"
#include "core/net/port/write_loop.h"
#include "core/net/stream/handshake_message.h"
#include "core/periodic/admission/resource.h"
#include "core/periodic/qos/qos_events.h"
#include "core/periodic/task/scheduler.h"

namespace tactus::net {

/// What a port needs of its host, which outlives it.
struct PortSurroundings {
  periodic::Scheduler& scheduler;
  LinkTask* link = nullptr;
  /// The host's thread looks at its ports again. Thread-safe. Real-time-safe: yes.
  std::function<void()> wake;
  periodic::QosEvents* qos = nullptr;  // to which the port tells its events
};

/// Who may enter: a port's own description.
struct PortTerms {
  std::string name = {};
  PortType type = PortType::Read;
  StreamContract contract = {};  ///< or the most that it takes over from a writer
  std::string token = {};
  bool takesOver = false;  ///< of a read port: the contract is that of the writer that asks
};

/// One operation goes on at a time; the host's thread only tries (`m_operation`), since a handler may hold an
/// operation up. What both look at for moments is guarded by `m_mutex`.
class Port::Implementation {
 public:
  /// Processor and memory are held from now on (RTSS, A.1), or from connection to connection if the contract
  /// is the writer's.
  [[nodiscard]] static Result<std::shared_ptr<Implementation>> create(PortSurroundings surroundings,
                                                                      PortTerms terms);

  // Of the port's owner; see Port.
  [[nodiscard]] Result<void> attach(ReadHandler handler);
  [[nodiscard]] Result<void> attach(WriteHandler handler);
  [[nodiscard]] Result<void> connect(const StreamAddress& other, const std::string& token);
  [[nodiscard]] Result<void> disconnect();
  [[nodiscard]] Result<void> run(StreamOperation operation);
  [[nodiscard]] Result<void> halt(StreamOperation operation);
  [[nodiscard]] Result<void> await(StreamState state, periodic::Duration atMost);
  [[nodiscard]] PortQuery query() const;
  /// The port goes: waits for its handler, and for operations that go on.
  void end();

  // Of the host's thread; none of these waits.
  enum class Answer : std::uint8_t {
    Later,  ///< the port is busy, or the data connection is not there yet: ask again
    Taken,  ///< the connection was taken: the stream exists
    Refused,
  };
  /// Another port asks. `data`: a TCP connection for this session; none yet.
  [[nodiscard]] Answer answer(ControlArrival& asked, ControlConnection& control, Descriptor& data,
                              RefusedMessage& why);
  /// What the peer's host said, if it said something.
  void hear(periodic::TimePoint now);
  /// Once a second: what the peer's host is told.
  void tell(periodic::TimePoint now);
  /// Loops that ended, and peers that left. False: not yet; ask again soon.
  [[nodiscard]] bool settle(periodic::TimePoint now);
  /// To be polled; -1: none.
  [[nodiscard]] int descriptor() const;

  [[nodiscard]] const PortTerms& terms() const noexcept { return m_terms; }

 private:
  Implementation(PortSurroundings surroundings, PortTerms terms)
      : m_host(std::move(surroundings)),
        m_terms(std::move(terms)),
        m_contract(m_terms.contract),
        m_life(m_terms.name) {}

  [[nodiscard]] bool writes() const noexcept { return m_terms.type == PortType::Write; }
  [[nodiscard]] periodic::TimePoint now() const { return m_host.scheduler.time().now(); }
  [[nodiscard]] Result<void> attach();
  [[nodiscard]] Result<void> hold(const StreamContract& contract);
  void giveBack();
  [[nodiscard]] std::optional<RefusedMessage> take(ControlArrival& asked, ControlConnection& control,
                                                   Descriptor& data);
  [[nodiscard]] std::string misfitOf(const StreamContract& theirs) const;
  [[nodiscard]] std::optional<std::string> refusalOfLink() const;
  [[nodiscard]] Result<ControlArrival> ask(ControlConnection& control, DataPath& path,
                                           const StreamAddress& other, ConnectMessage& message,
                                           periodic::TimePoint until);
  [[nodiscard]] Result<void> makeEnd(DataPath path, std::uint64_t session);
  void connected(ControlConnection control);
  void hearLocked(periodic::TimePoint now);
  void hear(const HandshakeMessage& message, periodic::TimePoint now);
  void leave(std::string reason, periodic::TimePoint now);
  [[nodiscard]] bool letGo(const std::string& reason, const std::string& farewell, periodic::Duration atMost);
  [[nodiscard]] bool settleEnded(periodic::TimePoint now);
  void say(const HandshakeMessage& message);
  void sayState();
  void sayReport(periodic::TimePoint now);
  void beginJudging();
  void endJudging();
  void judgeHere(periodic::TimePoint now);
  [[nodiscard]] std::optional<StreamJudgement> judgementHere(periodic::TimePoint now) const;
  void hearReport(const ReportMessage& report, periodic::TimePoint now);
  void hearPeriods(const StateMessage& state);
  void look(periodic::TimePoint now, PortLook seen);
  void amend(periodic::Duration period);
  void queryQos(PortQuery& query) const;
  [[nodiscard]] PortQuery streamQuery() const;
  [[nodiscard]] SenderState senderState() const;
  [[nodiscard]] std::uint64_t sentBuffers() const;

  const PortSurroundings m_host;
  const PortTerms m_terms;
  std::uint64_t m_stream = 0;  // in events; 0: nobody is told. Set by create() and end() alone

  std::mutex m_operation;  // guards what follows, over a whole operation; taken before m_mutex
  ReadHandler m_readHandler;
  WriteHandler m_writeHandler;
  periodic::HeldShares m_memory;
  StreamContract m_contract;  // as it is kept at present; changes under m_mutex as well

  mutable std::mutex m_mutex;  // guards what follows, for moments; it changes under m_operation as well
  std::condition_variable m_changed;
  StreamLife m_life;
  std::unique_ptr<SendingEnd> m_sendingEnd;
  std::unique_ptr<ReceivingEnd> m_receivingEnd;
  std::unique_ptr<WriteLoop> m_writeLoop;
  std::unique_ptr<ReadLoop> m_readLoop;
  bool m_streamEnded = false;          // at a writer: its handler said so, and all has left
  periodic::TimePoint m_started = {};  // when the loop began last

  // Guarded by m_mutex alone.
  std::optional<ControlConnection> m_control;  // absent while connected: the peer has left
  struct Leaving {
    std::string reason;
    periodic::TimePoint since;
    bool byStream = false;  // nothing went wrong: a reader takes what is still on its way first
  };
  std::optional<Leaving> m_leaving;
  std::optional<ReportMessage> m_report;  // of the reader, at a writer
  // The quality of the present stream, which has a rate.
  struct Judging {
    Judging(const PortTerms& terms, const StreamContract& contract, std::uint64_t stream);
    PortQos qos;
    AgreedPeriod agreed;       // at a writer
    HeardPeriods heard;        // at a reader: as far as its contract allows them
    periodic::Duration known;  // at a reader: the next, as the writer said it
  };
  std::optional<Judging> m_judging;
  std::string m_qosSentence = {};  // of the last event
  PortQuery m_last;                // of the stream before
  periodic::TimePoint m_heard;

  std::atomic<bool> m_hasEnded{false};   // the loop ended by itself
  std::unique_ptr<PortThread> m_thread;  // declared last: it goes first
};

}  // namespace tactus::net
