// OCI layouts on this machine, and `berth image add` that reads them.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "controller/api/auth/signature.h"
#include "ops/cli/image/oci_layout.h"
#include "tests/support/temp_dir.h"
#include "tests/unit/cli/fake_world.h"

namespace berth::cli {
namespace {

namespace fs = std::filesystem;

class Layouts : public ::testing::Test {
 protected:
  Layouts() { fs::create_directories(blobs()); }

  fs::path folder() const { return dir_.path() / "layout"; }
  fs::path blobs() const { return folder() / "blobs/sha256"; }
  static void write(const fs::path& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
  }
  // The digest of a blob that is there now.
  std::string blob(const std::string& text) const {
    const std::string hex = controller::api::sha256_hex(text);
    write(blobs() / hex, text);
    return "sha256:" + hex;
  }
  fs::path path_of(const std::string& digest) const { return blobs() / digest.substr(7); }
  // Of an image with these labels: the digest of its manifest.
  std::string image(const std::string& labels, const std::string& architecture = "amd64") const {
    const std::string config = blob(R"({"architecture":")" + architecture + R"(","os":"linux","config":{)" +
                                    (labels.empty() ? "" : R"("Labels":)" + labels) + "}}");
    return blob(R"({"schemaVersion":2,"config":{"digest":")" + config + R"("},"layers":[]})");
  }
  void index(const std::string& digest, const std::string& tag = "1") const {
    write(folder() / "index.json", R"({"schemaVersion":2,"manifests":[{"digest":")" + digest +
                                       R"(","annotations":{"org.opencontainers.image.ref.name":")" + tag +
                                       R"("}}]})");
  }
  Result<LayoutImage> read(const std::string& tag = "1", const std::string& architecture = "x86_64") const {
    return read_layout_image({folder().string(), tag}, architecture);
  }
  std::string code(const std::string& tag = "1", const std::string& architecture = "x86_64") const {
    const auto image = read(tag, architecture);
    return image ? "read" : image.error().code.word();
  }
  std::string source() const { return "oci:" + folder().string() + ":1"; }

  berth::testing::TempDir dir_;
};

TEST(LayoutSource, IsAFolderAndATag) {
  const auto source = parse_layout_source("oci:/a:b/c:1");
  ASSERT_TRUE(source);
  EXPECT_EQ(source->folder + " " + source->tag, "/a:b/c 1");
  for (const char* other : {"oci:/a", "oci:", "oci::1", "oci:/a:", "oci:/a:1/b", "docker://h/a:1", "/a:1"})
    EXPECT_FALSE(parse_layout_source(other)) << other;
}

TEST_F(Layouts, SayDigestArchitectureAndLabels) {
  const std::string manifest = image(R"({"a":"1","berth.apps":""})", "arm64");
  index(manifest);
  const auto found = read();
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->digest, manifest);
  EXPECT_EQ(found->architecture, "aarch64");
  EXPECT_EQ(found->labels, (std::map<std::string, std::string>{{"a", "1"}, {"berth.apps", ""}}));
  index(image(""));
  EXPECT_TRUE(read()->labels.empty());
}

TEST_F(Layouts, OfSeveralPlatformsGiveTheOneOfTheArchitecture) {
  const auto entry = [](const std::string& digest, const std::string& architecture, const std::string& os) {
    return R"({"digest":")" + digest + R"(","platform":{"architecture":")" + architecture + R"(","os":")" +
           os + R"("}})";
  };
  const std::string list =
      blob(R"({"manifests":[)" + entry(image(R"({"of":"attestation"})"), "unknown", "unknown") + "," +
           entry(image(R"({"of":"windows"})"), "amd64", "windows") + "," +
           entry(image(R"({"of":"arm"})", "arm64"), "arm64", "linux") + "," +
           entry(image(R"({"of":"pc"})"), "amd64", "linux") + "]}");
  index(list);
  ASSERT_TRUE(read()) << read().error().message;
  EXPECT_EQ(read()->labels.at("of"), "pc");
  EXPECT_EQ(read()->digest, list) << "agents compare with what the tag names";
  EXPECT_EQ(read("1", "aarch64")->labels.at("of"), "arm");
  const auto none = read("1", "s390x");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, "unknown-architecture");
  EXPECT_EQ(none.error().hint, "it is there for: aarch64, x86_64");
}

TEST_F(Layouts, ThatAreNotHereOrHaveNoSuchTagSaySo) {
  EXPECT_EQ(code(), "layout-missing");
  index(image(""), "latest");
  const auto other = read();
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, "unknown-tag");
  EXPECT_EQ(other.error().hint, "it has: latest");
  EXPECT_EQ(read_layout_image({"/nowhere", "1"}, "x86_64").error().code, "layout-missing");
}

TEST_F(Layouts, ThatWereChangedAreRefused) {
  const std::string manifest = image(R"({"berth.apps":"a:http:1"})");
  index(manifest);
  ASSERT_EQ(code(), "read");
  write(path_of(manifest), R"({"config":{}})");
  EXPECT_EQ(code(), "layout-damaged");
  fs::remove(path_of(manifest));
  EXPECT_EQ(code(), "layout-unreadable");
}

TEST_F(Layouts, LeadNowhereElse) {
  const std::string manifest = image("");
  const fs::path outside = dir_.path() / "outside";
  fs::rename(path_of(manifest), outside);
  fs::create_symlink(outside, path_of(manifest));
  index(manifest);
  EXPECT_EQ(code(), "layout-unreadable") << "a link as a blob";
  fs::rename(blobs(), dir_.path() / "sha256");
  fs::create_directory_symlink(dir_.path() / "sha256", blobs());
  EXPECT_EQ(code(), "layout-unreadable") << "a link as a folder";
  for (const char* digest : {"sha256:../../../outside", "sha256:", "md5:00", "", "/etc/passwd"}) {
    index(digest);
    EXPECT_EQ(code(), "layout-invalid") << digest;
  }
  index("sha256:" + std::string(64, 'A'));
  EXPECT_EQ(code(), "layout-invalid");
}

TEST_F(Layouts, OfAnySizeAndKindAreBounded) {
  ASSERT_EQ(::mkfifo((folder() / "index.json").c_str(), 0600), 0);
  EXPECT_EQ(code(), "layout-unreadable") << "and nobody waits for a writer";
  fs::remove(folder() / "index.json");
  write(folder() / "index.json", std::string(kLayoutFileMax + 1, ' '));
  EXPECT_EQ(code(), "layout-too-large");
  for (const char* text : {"", "[]", "{", "{\"manifests\":1,\"manifests\":2}", "\x01"}) {
    write(folder() / "index.json", text);
    EXPECT_EQ(code(), "layout-invalid") << text;
  }
  write(folder() / "index.json", R"({"manifests":[1,"a",{"annotations":3},{"annotations":{}}]})");
  EXPECT_EQ(code(), "unknown-tag");
  for (const char* manifest : {"{}", "[]", R"({"config":3})", R"({"config":{"digest":3}})"}) {
    index(blob(manifest));
    EXPECT_EQ(code(), "layout-invalid") << manifest;
  }
  for (const char* labels : {R"({"a":1})", "[]", "3"}) {
    index(image(labels));
    EXPECT_EQ(code(), "layout-invalid") << labels;
  }
}

HttpReply added() {
  return json_reply(
      R"({"image":{"reference":"web:1","apps":[{"name":"web"},{"name":"db"}],"labels":{}},"position":7})",
      201);
}

TEST_F(Layouts, AreReadWhereAnImageIsAdded) {
  FakeWorld w;
  w.server.answer = [](const HttpRequest&) { return Result<HttpReply>(added()); };
  const std::string manifest =
      image(R"({"berth.apps":"web:http:8000","berth.app.web.command":"[\"serve\"]","maintainer":"a\nb"})");
  index(manifest);
  const auto ran =
      w.run({"image", "add", "web:1", source(), "--label", "berth.app.web.title=Web", "-o", "wide"});
  ASSERT_EQ(ran.exit, 0) << ran.err;
  const auto body = boost::json::parse(w.server.requests.at(0).body);
  EXPECT_EQ(text_at(body, "digest"), manifest);
  EXPECT_EQ(text_at(body, "architecture"), "x86_64");
  EXPECT_EQ(*find_path(body, "labels"), boost::json::parse(R"({"berth.apps":"web:http:8000",
      "berth.app.web.command":"[\"serve\"]","berth.app.web.title":"Web"})"));
  EXPECT_NE(ran.out.find("APPS"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("web db"), std::string::npos) << ran.out;
}

TEST_F(Layouts, YieldToWhatIsGiven) {
  FakeWorld w;
  w.server.answer = [](const HttpRequest&) { return Result<HttpReply>(added()); };
  index(image(R"({"berth.min.mem":"64m"})"));
  const std::string digest = "sha256:" + std::string(64, '1');
  ASSERT_EQ(w.run({"image", "add", "web:1", source(), "--digest", digest, "--arch", "riscv64", "--label",
                   "berth.min.mem=128m"})
                .exit,
            0);
  const auto body = boost::json::parse(w.server.requests.at(0).body);
  EXPECT_EQ(text_at(body, "digest") + " " + text_at(body, "architecture"), digest + " riscv64");
  EXPECT_EQ(boost::json::serialize(*find_path(body, "labels")), R"({"berth.min.mem":"128m"})");
}

TEST_F(Layouts, ThatSayNonsenseAreSaidBeforeAnybodyIsAsked) {
  FakeWorld w;
  index(image(R"({"berth.apps":"web:http:2200"})"));
  const auto bad = w.run({"image", "add", "web:1", source()});
  EXPECT_EQ(bad.exit, kUsage);
  EXPECT_NE(bad.err.find("label berth.apps"), std::string::npos) << bad.err;
  index(image(""));
  const auto own = w.run({"image", "add", "web:1", source(), "--label", "berth.app.web.title=x"});
  EXPECT_EQ(own.exit, kUsage);
  EXPECT_NE(own.err.find("label berth.app.web.title"), std::string::npos) << own.err;
  EXPECT_EQ(w.run({"image", "add", "web:1", source() + "x"}).exit, kNotFound);
  EXPECT_EQ(w.run({"image", "add", "web:1", source(), "--label", "nothing"}).exit, kUsage);
  EXPECT_TRUE(w.server.requests.empty());
}

TEST_F(Layouts, OfOtherMachinesAreNotNeeded) {
  FakeWorld w;
  w.server.answer = [](const HttpRequest&) { return Result<HttpReply>(added()); };
  const auto ran = w.run({"image", "add", "web:1", "oci:/nowhere:1"});
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_NE(ran.err.find("its labels are not read"), std::string::npos) << ran.err;
  EXPECT_EQ(w.run({"image", "add", "web:1", "docker://registry.example/web:1"}).exit, 0);
  EXPECT_EQ(w.server.requests.at(1).body,
            R"({"reference":"web:1","source":"docker://registry.example/web:1"})");
}

}  // namespace
}  // namespace berth::cli
