// Kernels of POST /v1/sessions (tests/BEHAVIOURS.md section 13, expansion), designated agents, dependencies.
#include <gtest/gtest.h>

#include "controller/api/map/json_reader.h"
#include "controller/api/map/session_request.h"

namespace berth::controller::api {
namespace {

struct ClusterRead {
  v1::RequestSession request;
  std::string error;  // "code place"
};

ClusterRead read_cluster(const std::string& members) {
  SlotKinds kinds;
  kinds.add("cpu", SlotKind::kCount);
  kinds.add("mem", SlotKind::kBytes);
  Errors errors;
  v1::Owner owner;
  const auto body = parse_body("{" + members + "}");
  ClusterRead out{read_session_request(*body, kinds, owner, errors), {}};
  if (errors.empty()) return out;
  const Problem problem = std::move(errors).take();
  out.error = problem.code + " " + problem.errors.front().place;
  return out;
}

// "main*1(1000000,1073741824) sub*2(...)": role, count, amounts in slot order.
std::string roles(const std::string& members) {
  const ClusterRead out = read_cluster(members);
  if (!out.error.empty()) return out.error;
  std::string text;
  for (const auto& role : out.request.spec().roles()) {
    text += (text.empty() ? "" : " ") + role.role() + "*" + std::to_string(role.count()) + "(";
    for (int i = 0; i < role.slots_size(); ++i)
      text += (i == 0 ? "" : ",") + std::to_string(role.slots(i).amount());
    text += ")" + role.image();
  }
  return text;
}

constexpr const char* kResources = R"("resources": {"cpu": "1", "mem": "8388608"})";

TEST(ClusterRequest, S13_ExpandsToMainAndSubs) {
  EXPECT_EQ(roles(kResources), "main*1(1000000,8388608)");
  EXPECT_EQ(roles(std::string(R"("cluster_size": 1, )") + kResources), "main*1(1000000,8388608)");
  EXPECT_EQ(roles(std::string(R"("cluster_size": 3, )") + kResources),
            "main*1(1000000,8388608) sub*2(1000000,8388608)");
}

TEST(ClusterRequest, ARolesOwnAmountsWinOverTheSessions) {
  EXPECT_EQ(roles(R"("resources": {"mem": "8388608"}, "roles": [{"role": "main", "resources": {"cpu": "2"}},
                     {"role": "worker", "count": 3, "resources": {"cpu": "1", "mem": "5m"}, "image": "x:1"}])"),
            "main*1(2000000,8388608) worker*3(1000000,5242880)x:1");
}

TEST(ClusterRequest, RefusesWhatContradictsItself) {
  EXPECT_EQ(roles(""), "missing-field resources");
  EXPECT_EQ(roles(std::string(R"("cluster_size": 0, )") + kResources), "invalid-value cluster_size");
  EXPECT_EQ(roles(R"("cluster_size": 2, "roles": [{"role": "main", "resources": {"cpu": "1"}}])"),
            "invalid-spec cluster_size");
  EXPECT_EQ(roles(R"("roles": [{"role": "main"}, {"role": "main"}])"), "invalid-value roles[1].role");
  EXPECT_EQ(roles(R"("roles": [{"count": 1}])"), "missing-field roles[0].role");
  EXPECT_EQ(roles(R"("roles": [{"role": "main", "gpus": 1}])"), "unknown-field roles[0].gpus");
  EXPECT_EQ(roles(R"("roles": [3])"), "invalid-value roles[0]");
  EXPECT_EQ(read_cluster(std::string(R"("mode": "everywhere", )") + kResources).error, "invalid-value mode");
}

TEST(ClusterRequest, TakesModeAgentsAndDependencies) {
  const ClusterRead out = read_cluster(
      std::string(R"("mode": "multi-node", "designated": {"agents": ["a1", "a2"], "rule": "preferred"},
                                       "depends_on": ["prepare"], "on_dependency_failure": "wait", )") +
      kResources);
  EXPECT_EQ(out.error, "");
  EXPECT_EQ(out.request.spec().mode(), v1::MULTI_NODE);
  EXPECT_EQ(out.request.spec().agents_size(), 2);
  EXPECT_EQ(out.request.spec().agent_rule(), v1::AGENT_PREFERRED);
  EXPECT_EQ(out.request.depends_on(0), "prepare");
  EXPECT_TRUE(out.request.spec().wait_on_dependency_failure());
  EXPECT_EQ(read_cluster(std::string(R"("designated": {"agents": ["a1"]}, )") + kResources)
                .request.spec()
                .agent_rule(),
            v1::AGENT_STRICT);
  EXPECT_EQ(
      read_cluster(std::string(R"("designated": {"agents": ["a1"], "rule": "maybe"}, )") + kResources).error,
      "invalid-value designated.rule");
  EXPECT_EQ(read_cluster(std::string(R"("on_dependency_failure": "cry", )") + kResources).error,
            "invalid-value on_dependency_failure");
}

}  // namespace
}  // namespace berth::controller::api
