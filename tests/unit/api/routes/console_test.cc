// What a person's browser is served.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "controller/api/console/static_files.h"
#include "tests/support/temp_dir.h"
#include "tests/unit/api/support/api_rig.h"

namespace berth::testing {
namespace {

class Console : public ::testing::Test {
 protected:
  void write(const std::string& path, const std::string& text) {
    const auto file = std::filesystem::path(folder_) / path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  void built() {
    write("index.html", "<!doctype html>the page");
    write("favicon.svg", "<svg/>");
    write("assets/index-1a2b.js", "a script");
    write("assets/index-1a2b.js.gz", "a packed script");
    write("assets/index-1a2b.js.br", "a script packed better");
    write(".secret", "no");
  }
  api::ApiOptions options() {
    auto read = api::StaticFiles::read(folder_);
    EXPECT_TRUE(read);
    api::ApiOptions out = quiet_options();
    out.console = std::make_shared<api::StaticFiles>(std::move(*read));
    return out;
  }
  static api::HttpRequest get(const std::string& target, const std::string& accept = "text/html,*/*") {
    api::HttpRequest request;
    request.method = "GET";
    request.target = target;
    request.accept = accept;
    request.host = "127.0.0.1:7410";
    request.port = 7410;
    return request;
  }
  TempDir dir_;
  const std::string folder_ = dir_.path().string();
};

TEST_F(Console, IsServedAtEveryPathThatABrowserOpensOutsideTheApi) {
  built();
  ApiRig rig(small_cluster(), options());
  for (const char* path : {"/", "/?x=1", "/sessions", "/some/where"}) {
    const auto reply = rig.send(get(path));
    EXPECT_EQ(reply.body, "<!doctype html>the page") << path;
    EXPECT_NE(ApiRig::header_of(reply, "Content-Security-Policy").find("frame-ancestors 'none'"),
              std::string::npos);
    EXPECT_EQ(ApiRig::header_of(reply, "Cross-Origin-Opener-Policy"), "same-origin");
    EXPECT_EQ(ApiRig::header_of(reply, "Cache-Control"), "no-cache");
  }
  EXPECT_EQ(rig.send(get("/favicon.svg", "image/*")).content_type, "image/svg+xml");
  EXPECT_EQ(rig.send(get("/v1/nothing")).status, 401u) << "an unknown path of the API is not the console";
  EXPECT_EQ(rig.send(get("/sessions", "application/json")).status, 401u);
  EXPECT_NE(rig.send(get("/.secret")).body, "no");
  EXPECT_NE(rig.send(get("/assets/..%2findex.html")).status, 200u);
}

TEST_F(Console, APageThatOpensAppsMaySendFormsToThemAndSaysItsOrigin) {
  built();
  api::ApiOptions on_loopback = options(), of_domain = options();
  of_domain.sign_in.origins = {"https://berth.example"};
  of_domain.sign_in.app_origin = "https://apps.berth.example";
  ApiRig rig(small_cluster(), on_loopback), beyond(small_cluster(), of_domain);
  const auto policy = [](ApiRig& asked, const std::string& path, const std::string& host) {
    auto request = get(path);
    request.host = host;
    const auto reply = asked.send(request);
    const std::string text = ApiRig::header_of(reply, "Content-Security-Policy");
    EXPECT_NE(text.find("frame-ancestors 'none'"), std::string::npos) << text;
    return text.substr(text.find("form-action")) + " / " + ApiRig::header_of(reply, "Referrer-Policy");
  };
  const std::string here = "127.0.0.1:7410";
  EXPECT_EQ(policy(rig, "/session/x/app/lab", here),
            "form-action 'self' http://*.localhost:7410 / strict-origin");
  EXPECT_EQ(policy(beyond, "/session/x/app/lab", "berth.example"),
            "form-action 'self' https://*.apps.berth.example / strict-origin");
  for (const char* path : {"/", "/sessions", "/session", "/x/session/app", "/sessionx/1"})
    EXPECT_EQ(policy(rig, path, here), "form-action 'self' / ") << path;
  // Apps have no names there.
  api::ApiOptions nameless = options();
  nameless.sign_in.origins = {"https://berth.example"};
  ApiRig afar(small_cluster(), nameless);
  EXPECT_EQ(policy(afar, "/session/x/app/lab", "berth.example"), "form-action 'self' / ");
}

TEST_F(Console, AssetsAreForEverAndPackedAsTheClientCanUnpack) {
  built();
  ApiRig rig(small_cluster(), options());
  const auto asset = [&](const std::string& accepts) {
    auto request = get("/assets/index-1a2b.js", "*/*");
    request.accept_encoding = accepts;
    return rig.send(request);
  };
  EXPECT_EQ(asset("").body, "a script");
  EXPECT_EQ(asset("gzip, deflate").body, "a packed script");
  EXPECT_EQ(asset("gzip, br").body, "a script packed better");
  EXPECT_EQ(asset("br;q=0, gzip").body, "a packed script");
  EXPECT_EQ(ApiRig::header_of(asset("gzip"), "Content-Encoding"), "gzip");
  EXPECT_EQ(ApiRig::header_of(asset(""), "Cache-Control"), "public, max-age=31536000, immutable");
  EXPECT_EQ(asset("").content_type, "text/javascript; charset=utf-8");
  EXPECT_EQ(rig.send(get("/assets/gone-1.js")).status, 404u);
}

TEST_F(Console, WhatTheBrowserHasIsNotSentAgain) {
  built();
  ApiRig rig(small_cluster(), options());
  auto request = get("/");
  request.if_none_match = ApiRig::header_of(rig.send(request), "ETag");
  const auto reply = rig.send(request);
  EXPECT_EQ(reply.status, 304u);
  EXPECT_EQ(reply.body, "");
}

TEST_F(Console, AForeignHostGetsNothingOfIt) {
  built();
  ApiRig rig(small_cluster(), options());
  auto request = get("/");
  request.host = "evil.example:7410";
  EXPECT_EQ(ApiRig::code_of(rig.send(request)), "misdirected-request");
}

TEST_F(Console, WithoutOneAPersonIsToldWhatThisIs) {
  ApiRig rig;
  const auto reply = rig.send(get("/"));
  EXPECT_EQ(reply.status, 200u);
  EXPECT_NE(reply.body.find("/docs"), std::string::npos);
  EXPECT_NE(rig.send(get("/docs")).body.find("/v1/sessions/{session}"), std::string::npos);
  EXPECT_EQ(rig.send(get("/openapi.json", "*/*")).status, 200u);
}

TEST_F(Console, AFolderThatIsNoneOrTooLargeIsAnError) {
  EXPECT_EQ(api::StaticFiles::read(folder_ + "/none").error().code, "console-unreadable");
  for (int i = 0; i <= 2000; ++i) write("f" + std::to_string(i), "");
  EXPECT_EQ(api::StaticFiles::read(folder_).error().code, "console-too-large");
}

}  // namespace
}  // namespace berth::testing
