#include "controller/api/auth/certificate.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "events/base/system_clock.h"
#include "tests/support/temp_dir.h"

namespace berth::controller::api {
namespace {

class CertificateOfAServer : public ::testing::Test {
 protected:
  const testing::TempDir temp_;
  const std::string folder_ = temp_.path().string();
};

TEST_F(CertificateOfAServer, IsMadeOnceForItsOwnerAlone) {
  const auto files = load_or_create_certificate(folder_, {"localhost", "127.0.0.1", "::1"});
  ASSERT_TRUE(files.ok()) << to_string(files.error());
  struct stat key {};
  ASSERT_EQ(::stat(files->key.c_str(), &key), 0);
  EXPECT_EQ(key.st_mode & 0777, 0600u);
  const auto first = fingerprint_of_file(files->certificate);
  ASSERT_TRUE(first.ok()) << to_string(first.error());
  EXPECT_TRUE(is_fingerprint(*first)) << *first;
  ASSERT_TRUE(load_or_create_certificate(folder_, {"localhost"}).ok());
  EXPECT_EQ(*fingerprint_of_file(files->certificate), *first);
}

TEST_F(CertificateOfAServer, IsRefusedWhenAnotherUserCouldHaveItsKey) {
  const auto files = load_or_create_certificate(folder_, {"localhost"});
  ASSERT_TRUE(files.ok());
  const auto code = [&] {
    const auto again = load_or_create_certificate(folder_, {"localhost"});
    return again.ok() ? "" : again.error().code.word();
  };
  ASSERT_EQ(::chmod(files->key.c_str(), 0640), 0);
  EXPECT_EQ(code(), "tls-key-open");
  std::filesystem::rename(files->key, folder_ + "/elsewhere");
  std::filesystem::create_symlink(folder_ + "/elsewhere", files->key);
  EXPECT_EQ(code(), "tls-key-foreign");
}

TEST_F(CertificateOfAServer, AnOperatorsKeyIsItsOwnersOrAGroupsThatRootChose) {
  const std::string key = folder_ + "/key.pem";
  std::ofstream(key) << "key";
  const auto code = [&](mode_t mode) {
    EXPECT_EQ(::chmod(key.c_str(), mode), 0);
    const auto checked = check_key_of_certificate(key);
    return checked.ok() ? "" : checked.error().code.word();
  };
  EXPECT_EQ(code(0600), "");
  EXPECT_EQ(code(0644), "tls-key-open");
  EXPECT_EQ(code(0640), ::geteuid() == 0 ? "" : "tls-key-open");
  EXPECT_EQ(code(0660), "tls-key-open");
  EXPECT_EQ(check_key_of_certificate(folder_ + "/none").error().code, "tls-key-unreadable");
  if (::geteuid() != 0) GTEST_SKIP() << "gives a file to another user";
  ASSERT_EQ(::chown(key.c_str(), 12'345, 12'345), 0);
  EXPECT_EQ(code(0600), "tls-key-foreign");
}

TEST_F(CertificateOfAServer, IsNotMadeAnewInSilenceWhereOneOfItsFilesIsGone) {
  const auto files = load_or_create_certificate(folder_, {"localhost"});
  ASSERT_TRUE(files.ok());
  for (const std::string& gone : {files->certificate, files->key}) {
    std::filesystem::rename(gone, folder_ + "/elsewhere");
    const auto again = load_or_create_certificate(folder_, {"localhost"});
    ASSERT_FALSE(again.ok());
    EXPECT_EQ(again.error().code, "certificate-incomplete");
    EXPECT_FALSE(std::filesystem::exists(gone));
    std::filesystem::rename(folder_ + "/elsewhere", gone);
  }
  EXPECT_TRUE(load_or_create_certificate(folder_, {"localhost"}).ok());
}

TEST_F(CertificateOfAServer, IsGoodForTenYears) {
  const auto files = load_or_create_certificate(folder_, {"localhost"});
  ASSERT_TRUE(files.ok());
  const auto end = end_of_certificate(files->certificate);
  ASSERT_TRUE(end.ok());
  const auto years = (*end - SystemClock().now().wall) / (365 * kDay);
  EXPECT_TRUE(years == 9 || years == 10) << years;
  EXPECT_EQ(end_of_certificate(files->key).error().code, "certificate-unreadable");
}

TEST_F(CertificateOfAServer, IsAnotherInEachFolder) {
  const auto a = load_or_create_certificate(folder_ + "/a", {"localhost"}),
             b = load_or_create_certificate(folder_ + "/b", {"localhost"});
  ASSERT_TRUE(a.ok() && b.ok());
  EXPECT_NE(*fingerprint_of_file(a->certificate), *fingerprint_of_file(b->certificate));
}

TEST_F(CertificateOfAServer, IsNamedWhenItIsNone) {
  std::ofstream(folder_ + "/x.pem") << "hello";
  for (const char* name : {"/x.pem", "/none.pem"}) {
    const auto fingerprint = fingerprint_of_file(folder_ + name);
    ASSERT_FALSE(fingerprint.ok());
    EXPECT_EQ(fingerprint.error().code, "certificate-unreadable");
  }
}

TEST(Fingerprint, IsSha256InLowerCaseHex) {
  EXPECT_EQ(fingerprint_of(""), "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_FALSE(is_fingerprint("sha256:E3"));
  EXPECT_FALSE(is_fingerprint("sha1:" + std::string(64, 'a')));
  EXPECT_FALSE(is_fingerprint("sha256:" + std::string(64, 'A')));
}

}  // namespace
}  // namespace berth::controller::api
