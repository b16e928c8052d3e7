// SPDX-License-Identifier: Apache-2.0
#include "core/net/stream/wake_up.h"

#include <fcntl.h>
#include <mqueue.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <string>

namespace tactus::net {
namespace {

constexpr timespec kPast{};  // a time limit that has passed: the call does not wait
constexpr int kMostNames = 1000;

mq_attr oneByte() {
  mq_attr attributes{};
  attributes.mq_maxmsg = 1;
  attributes.mq_msgsize = 1;
  return attributes;
}

}  // namespace

Result<Descriptor> WakeUp::create() {
  // A queue needs a name for a moment. A process that ended in this moment has left one.
  for (int i = 0; i < kMostNames; ++i) {
    const std::string name = "/tactus-" + std::to_string(getpid()) + "-" + std::to_string(i);
    mq_attr attributes = oneByte();
    Descriptor queue(mq_open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NONBLOCK,
                             S_IRUSR | S_IWUSR, &attributes));
    if (queue) {
      mq_unlink(name.c_str());
      return queue;
    }
    if (errno != EEXIST) break;
  }
  return Error{ErrorCode::System,
               std::string("A message queue could not be made: ") + std::strerror(errno) + "."};
}

Result<void> WakeUp::check(const Descriptor& descriptor) {
  mq_attr attributes{};
  const bool queue = mq_getattr(descriptor.get(), &attributes) == 0;
  // None of these can be changed later. With one message at most, clear() has taken all.
  if (!queue || attributes.mq_maxmsg != oneByte().mq_maxmsg ||
      attributes.mq_msgsize != oneByte().mq_msgsize ||
      (fcntl(descriptor.get(), F_GETFL) & O_ACCMODE) != O_RDWR)
    return Error{ErrorCode::Corrupt, "The peer sent something else than a message queue for one byte."};
  return {};
}

void WakeUp::raise() const TACTUS_REALTIME {
  const char byte = 0;
  (void)mq_timedsend(m_descriptor, &byte, sizeof byte, 0, &kPast);  // fails when it is raised already
}

void WakeUp::clear() const TACTUS_REALTIME {
  char byte = 0;
  (void)mq_timedreceive(m_descriptor, &byte, sizeof byte, nullptr, &kPast);  // fails when it is not raised
}

}  // namespace tactus::net
