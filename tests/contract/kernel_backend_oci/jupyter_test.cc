// The image jupyter as an agent has it: its app starts by its labels and answers to whoever has its token.
#include <gmock/gmock.h>

#include <fstream>

#include "agents/services/app_route.h"
#include "events/codec/image_labels.h"
#include "tests/contract/kernel_backend_inside.h"
#include "tests/contract/kernel_backend_oci/oci_rig.h"
#include "tests/support/inside_connection.h"
#include "tests/unit/agent_services/visitor.h"

namespace berth::agents::contract {
namespace {

constexpr const char* kLayout = "build/images/jupyter";  // ops/images/build jupyter

struct JupyterImage {
  std::string folder;
  StoredImage image;
  std::string why;

  JupyterImage() {
    why = TestImage::get().why;
    if (why.empty() && !std::filesystem::exists(kLayout)) why = "ops/images/build jupyter has not run";
    if (!why.empty()) return;
    char name[] = "/var/tmp/berth-jupyter-XXXXXX";
    folder = mkdtemp(name);
    const auto result = unpack_image(folder, "jupyter:4.6");
    if (result.ok())
      image = *result;
    else
      ADD_FAILURE() << to_string(result.error());
  }
  ~JupyterImage() {
    std::error_code error;
    if (!folder.empty()) std::filesystem::remove_all(folder, error);
  }
  static JupyterImage& get() {
    static JupyterImage image;
    return image;
  }
};

class JupyterRig final : public RealRig {
 public:
  JupyterRig() : RealRig(BackendKind::kOci) {}
  std::string missing() override { return JupyterImage::get().why; }
  std::string rootfs() override { return JupyterImage::get().image.rootfs; }
};

Result<ImageLabels> labels_of_jupyter() {
  std::map<std::string, std::string> labels;
  std::ifstream file("ops/images/jupyter/labels");
  for (std::string line; std::getline(file, line);)
    labels[line.substr(0, line.find('='))] = line.substr(line.find('=') + 1);
  return parse_image_labels(labels);
}

class Jupyter : public KernelInside {
 protected:
  ~Jupyter() override {
    if (client_) client_->stop();
    if (server_) server_->stop();
    io_.restart();
    io_.poll();  // the closed connections' last steps
  }
  // The agent's service, of this kernel's apps alone.
  void serve(const KernelKey& key) {
    KernelRoutes routes;
    routes["POST app"] =
        app_route([door = door(key)](const KernelKey&, const DoorFound& done) { done(door); }, true);
    server_ = std::make_unique<ServiceServer>(tunnel::agent_signer(), std::move(routes));
    const auto address = server_->start("127.0.0.1:0");
    ASSERT_TRUE(address.ok());
    client_ =
        std::make_unique<tunnel::Client>(boost::asio::make_strand(io_), tunnel::agent_signer(), *address);
  }
  std::unique_ptr<Visitor> visit(const std::string& app) {
    return std::make_unique<Visitor>(io_, *client_,
                                     "/kernels/07070707-0707-0707-0707-070707070707/1/app?app=" + app);
  }
  // The first line of what the app answers to a request with this header.
  std::string asked(const std::string& app, const std::string& path, const std::string& header) {
    const auto visitor = visit(app);
    visitor->say("GET " + path + " HTTP/1.1\r\nHost: jupyter\r\nConnection: close\r\n" + header + "\r\n");
    EXPECT_TRUE(visitor->await_open()) << visitor->how();
    visitor->await_over();
    return visitor->out.substr(0, visitor->out.find("\r\n"));
  }

  tunnel::asio::io_context io_;
  std::unique_ptr<ServiceServer> server_;
  std::unique_ptr<tunnel::Client> client_;
};

TEST_P(Jupyter, StartsByItsLabelsAndAnswersToWhoeverHasTheTokenOfItsStart) {
  const auto labels = labels_of_jupyter();
  ASSERT_TRUE(labels.ok()) << to_string(labels.error());
  const ImageApp* const app = labels->app("jupyter");
  ASSERT_NE(app, nullptr);
  KernelSpec asked_for = waiting_spec();
  asked_for.cpu = 2 * kUnit;
  asked_for.mem = labels->memory_min;
  const KernelKey key = start(asked_for);
  await_running(key);
  serve(key);

  inside::Request request = inside::app(app->name, app->command);
  request.socket = app->socket;
  request.token_variable = app->token_variable;
  Talk talk(door(key), request);
  const auto is_ready = [&] {
    return !talk.apps.empty() && talk.apps.back().state == inside::AppState::kReady;
  };
  bool ready = false;
  for (int i = 0; i < 6 && !ready; ++i) ready = talk.await(is_ready);  // 20 s each, on a busy machine
  ASSERT_TRUE(ready) << talk.out;

  const auto visitor = visit(app->name);
  ASSERT_TRUE(visitor->await_open()) << visitor->how();
  ASSERT_EQ(visitor->headers.size(), 1u);
  EXPECT_EQ(visitor->headers[0].first, kAppTokenHeader);
  const std::string token = visitor->headers[0].second;
  EXPECT_EQ(token.size(), inside::kTokenSize);
  EXPECT_EQ(asked(app->name, "/api/status", "Authorization: token " + token + "\r\n"), "HTTP/1.1 200 OK");
  EXPECT_EQ(asked(app->name, "/api/status", ""), "HTTP/1.1 403 Forbidden");
  EXPECT_EQ(
      asked(app->name, "/api/status", "Authorization: token " + std::string(token.size(), '0') + "\r\n"),
      "HTTP/1.1 403 Forbidden");
  EXPECT_EQ(talk.out.find(token), std::string::npos) << "the token is in its log";

  EXPECT_EQ(said(key, "stat -c %U " + app->socket), "work\n");
  Talk end(door(key), inside::end_of_app(app->name));
  EXPECT_NE(end.await_end(), -1) << end.await_problem();
  EXPECT_EQ(inside::code_of(inside::connection(door(key), inside::connect_to(app->name))), "app-ended");
}

INSTANTIATE_TEST_SUITE_P(Oci, Jupyter,
                         testing::Values(RigFactory([] { return std::make_unique<JupyterRig>(); })));

}  // namespace
}  // namespace berth::agents::contract
