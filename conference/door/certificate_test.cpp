// SPDX-License-Identifier: Apache-2.0
#include "conference/door/certificate.h"

#include <gio/gio.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "conference/door/object_ref.h"

namespace tactus::conference {
namespace {

using ::testing::HasSubstr;

class CertificateTest : public ::testing::Test {
 protected:
  CertificateTest() {
    std::string name = ::testing::TempDir() + "certificate-XXXXXX";
    m_parent = mkdtemp(name.data());
    m_folder = m_parent / "tactus";
  }
  ~CertificateTest() override { std::filesystem::remove_all(m_parent); }

  [[nodiscard]] std::filesystem::path file() const { return m_folder / "room-certificate.pem"; }
  [[nodiscard]] std::string content() const {
    std::ifstream in(file());
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void overwrite(const std::string& text) const { std::ofstream(file()) << text; }

  std::filesystem::path m_parent, m_folder;
};

TEST_F(CertificateTest, IsMadeOnceAndKept) {
  const auto first = Certificate::keptIn(m_folder, {"192.168.1.7", "fd00::1", "ann", "not a name!"});
  ASSERT_TRUE(first.ok()) << first.error().message;
  const auto second = Certificate::keptIn(m_folder, {});
  ASSERT_TRUE(second.ok()) << second.error().message;
  EXPECT_EQ(first.value().fingerprint(), second.value().fingerprint());
  EXPECT_EQ(first.value().fingerprint().size(), 43u);
  struct stat facts {};
  ASSERT_EQ(stat(file().c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0600u);
  ASSERT_EQ(stat(m_folder.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0700u);
  EXPECT_NE(Certificate::make({}).value().fingerprint(), first.value().fingerprint());
}

TEST_F(CertificateTest, TenProgramsThatBeginAtOnceHaveOneIdentity) {
  std::vector<std::string> seen(10);
  std::vector<std::thread> threads;
  for (auto& each : seen)
    threads.emplace_back([&] { each = Certificate::keptIn(m_folder, {}).value().fingerprint(); });
  for (auto& each : threads) each.join();
  EXPECT_EQ(std::set<std::string>(seen.begin(), seen.end()).size(), 1u);
}

TEST_F(CertificateTest, ADamagedFileIsToldAndNeverReplaced) {
  ASSERT_TRUE(Certificate::keptIn(m_folder, {}).ok());
  const std::string good = content();
  const auto key = good.find("-----BEGIN PRIVATE KEY");
  ASSERT_NE(key, std::string::npos);
  const std::string other = Certificate::make({}).value().pem();
  for (const auto& [text, why] : std::vector<std::pair<std::string, std::string>>{
           {"", "the certificate is damaged"},
           {good.substr(0, 100), "the certificate is damaged"},
           {good.substr(0, key), "the key is damaged"},
           {good.substr(0, key) + other.substr(other.find("-----BEGIN PRIVATE KEY")),
            "not that of the certificate"},
           {std::string(100'000, 'a'), "64 KiB"}}) {
    overwrite(text);
    const auto kept = Certificate::keptIn(m_folder, {});
    ASSERT_FALSE(kept.ok());
    EXPECT_THAT(kept.error().message, HasSubstr(why));
    EXPECT_THAT(kept.error().message, HasSubstr(file().string()));
    EXPECT_EQ(content(), text);
  }
  overwrite(good);
  EXPECT_TRUE(Certificate::keptIn(m_folder, {}).ok());
}

TEST_F(CertificateTest, AFolderThatCannotBeMadeIsTold) {
  std::ofstream(m_parent / "file") << "";
  const auto kept = Certificate::keptIn(m_parent / "file" / "tactus", {});
  ASSERT_FALSE(kept.ok());
  EXPECT_THAT(kept.error().message, HasSubstr("cannot be made: Not a directory."));
}

/// As a browser or another program checks it once it trusts the certificate itself.
GTlsCertificateFlags flawsFor(const Certificate& certificate, const char* name) {
  const auto parsed =
      ObjectRef<GTlsCertificate>::take(g_tls_certificate_new_from_pem(certificate.pem().data(), -1, nullptr));
  const auto identity = ObjectRef<GSocketConnectable>::take(g_network_address_new(name, 443));
  return g_tls_certificate_verify(parsed.get(), identity.get(), parsed.get());
}

TEST_F(CertificateTest, IsValidForTheNamesGivenAndForThisMachineAlone) {
  const auto made = Certificate::make({"192.168.1.7", "fd00::1", "ann.local", "not a name!,IP:10.0.0.1"});
  ASSERT_TRUE(made.ok()) << made.error().message;
  for (const char* name : {"192.168.1.7", "fd00::1", "ann.local", "localhost", "127.0.0.1", "::1"})
    EXPECT_EQ(flawsFor(made.value(), name), 0) << name;
  for (const char* name : {"192.168.1.8", "10.0.0.1", "bob.local"})
    EXPECT_EQ(flawsFor(made.value(), name), G_TLS_CERTIFICATE_BAD_IDENTITY) << name;
}

}  // namespace
}  // namespace tactus::conference
