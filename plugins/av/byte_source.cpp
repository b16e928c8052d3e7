// SPDX-License-Identifier: Apache-2.0
#include "plugins/av/byte_source.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <string_view>

#include "plugins/av/av_handle.h"

namespace tactus::plugins::av {
namespace {

constexpr std::string_view kDescriptorScheme = "fd://";

/// Owns a file descriptor.
class Descriptor {
 public:
  explicit Descriptor(int number) noexcept : m_number(number) {}
  ~Descriptor() {
    if (m_number >= 0) close(m_number);
  }
  Descriptor(Descriptor&& other) noexcept : m_number(std::exchange(other.m_number, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  [[nodiscard]] int get() const noexcept { return m_number; }

 private:
  int m_number;
};

class File final : public ByteSource {
 public:
  File(Descriptor file, std::shared_ptr<Cancellation> cancellation)
      : m_file(std::move(file)), m_cancellation(std::move(cancellation)) {}

  int read(std::span<std::uint8_t> into) override {
    if (m_cancellation->raised()) return AVERROR_EXIT;
    ssize_t count = -1;
    do {
      count = pread(m_file.get(), into.data(), into.size(), m_position);
    } while (count < 0 && errno == EINTR);
    if (count < 0) return AVERROR(errno);
    if (count == 0 && size() < m_size) return AVERROR(EIO);  // the end of a film is not where it was
    m_position += count;
    return static_cast<int>(count);
  }
  bool seek(std::int64_t position) override {
    if (position < 0) return false;
    m_position = position;
    return true;
  }
  [[nodiscard]] std::int64_t size() const override {
    struct stat status {};
    return fstat(m_file.get(), &status) == 0 ? status.st_size : -1;
  }
  [[nodiscard]] bool seekable() const override { return true; }
  [[nodiscard]] std::unique_ptr<ByteSource> again(std::shared_ptr<Cancellation> cancellation) const override {
    Descriptor file(fcntl(m_file.get(), F_DUPFD_CLOEXEC, 0));
    return file.get() >= 0 ? std::make_unique<File>(std::move(file), std::move(cancellation)) : nullptr;
  }
  [[nodiscard]] std::string problem() const override {
    return size() < m_size ? "the file is shorter than it was" : "";
  }

 private:
  const Descriptor m_file;
  const std::int64_t m_size = File::size();            // when it was opened
  const std::shared_ptr<Cancellation> m_cancellation;  // shared with who cancels
  std::int64_t m_position = 0;
};

/// Pipes, sockets and devices: bytes come once, in their order.
class Pipe final : public ByteSource {
 public:
  Pipe(Descriptor pipe, std::shared_ptr<Cancellation> cancellation)
      : m_pipe(std::move(pipe)), m_cancellation(std::move(cancellation)) {}

  int read(std::span<std::uint8_t> into) override {
    for (;;) {
      std::array<pollfd, 2> waited{{{m_pipe.get(), POLLIN, 0}, {m_cancellation->descriptor(), POLLIN, 0}}};
      if (poll(waited.data(), waited.size(), -1) < 0 && errno != EINTR) return AVERROR(errno);
      if (m_cancellation->raised()) return AVERROR_EXIT;
      if (waited[0].revents == 0) continue;
      const ssize_t count = ::read(m_pipe.get(), into.data(), into.size());
      if (count >= 0) return static_cast<int>(count);
      if (errno != EAGAIN && errno != EINTR) return AVERROR(errno);
    }
  }
  bool seek(std::int64_t) override { return false; }
  [[nodiscard]] std::int64_t size() const override { return -1; }
  [[nodiscard]] bool seekable() const override { return false; }

 private:
  const Descriptor m_pipe;
  const std::shared_ptr<Cancellation> m_cancellation;  // shared with who cancels
};

int openDescriptor(const std::string& path) {
  if (!path.starts_with(kDescriptorScheme)) {
    // Without O_NONBLOCK a FIFO that nobody writes would hold us here.
    return open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  }
  int number = -1;
  const char* begin = path.data() + kDescriptorScheme.size();
  if (std::from_chars(begin, path.data() + path.size(), number).ec != std::errc()) {
    errno = EBADF;
    return -1;
  }
  return fcntl(number, F_DUPFD_CLOEXEC, 0);
}

Error refusalOf(const std::string& path, int reason) {
  if (reason == ENOENT || reason == ENOTDIR) return {ErrorCode::NotFound, "There is no file '" + path + "'."};
  const auto code = reason == EACCES || reason == EPERM ? ErrorCode::PermissionDenied : ErrorCode::System;
  return {code, "'" + path + "' cannot be opened: " + std::strerror(reason) + "."};
}

}  // namespace

void Cancellation::raise() noexcept {
  m_raised.store(true, std::memory_order_relaxed);
  m_event.signal();
}

void Cancellation::lower() noexcept {
  m_raised.store(false, std::memory_order_relaxed);
  m_event.clear();
}

Result<std::unique_ptr<ByteSource>> openFile(const std::string& path,
                                             std::shared_ptr<Cancellation> cancellation) {
  Descriptor file(openDescriptor(path));
  struct stat status {};
  if (file.get() < 0 || fstat(file.get(), &status) != 0) return refusalOf(path, errno);
  if (S_ISDIR(status.st_mode)) return refusalOf(path, EISDIR);
  std::unique_ptr<ByteSource> source;
  if (S_ISREG(status.st_mode) || S_ISBLK(status.st_mode)) {
    source = std::make_unique<File>(std::move(file), std::move(cancellation));
  } else {
    source = std::make_unique<Pipe>(std::move(file), std::move(cancellation));
  }
  return source;
}

}  // namespace tactus::plugins::av
