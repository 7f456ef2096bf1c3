// What a node does when the disk of its log or of its store fails.
#include <gtest/gtest.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <future>

#include "events/log/local/local_log.h"
#include "events/log/local/row_store.h"
#include "tests/support/rocks/faulty_files.h"
#include "tests/unit/runtime/node_rig.h"

namespace berth::testing {
namespace {

const SystemClock machine_clock;

LocalLogOptions options_of(const std::filesystem::path& folder) {
  LocalLogOptions options;
  options.dir = (folder / "log").string();
  options.layout = {.cluster = "t", .cell = "c0", .requests = 1, .reports = 1, .orders = 1};
  options.clock = &machine_clock;
  return options;
}

std::unique_ptr<EventLog> opened_log(const std::filesystem::path& folder) {
  auto opened = open_local_log(options_of(folder));
  EXPECT_TRUE(opened.ok()) << to_string(opened.error());
  return std::move(*opened);
}

v1::Request define_domain(const std::string& name) {
  v1::Request request;
  request.mutable_define()->add_domains()->set_name(name);
  return request;
}

struct DiskRig {
  DiskRig() {
    log = opened_log(folder.path());
    controller::CellNodeConfig config;
    config.controller.stand_at_once = true;
    rig = std::make_unique<NodeRig>(*log, folder.path(), config);
    rig->node().set_on_fatal([this](const std::string& why) { fatal.set_value(why); });
    EXPECT_TRUE(rig->start());
    EXPECT_TRUE(rig->define());
  }
  bool ends() { return ended.wait_for(std::chrono::seconds(0)) == std::future_status::ready; }

  const TempDir folder;
  std::shared_ptr<FaultyFiles> disk = FaultyFiles::make();
  std::unique_ptr<EventLog> log;
  std::promise<std::string> fatal;
  std::future<std::string> ended = fatal.get_future();
  std::unique_ptr<NodeRig> rig;
};

TEST(NodeFaults, ADiskThatIsReadOnlyEndsTheProcessWithItsWords) {
  DiskRig rig;
  rig.disk->fail(kAllOps, EROFS);
  ASSERT_EQ(rig.ended.wait_for(std::chrono::seconds(60)), std::future_status::ready);
  EXPECT_NE(rig.ended.get().find("Read-only file system"), std::string::npos);
}

TEST(NodeFaults, WhatPassesIsSaidAndTheNodeGoesOnByItself) {
  DiskRig rig;
  for (const int error : {EDQUOT, EIO, ENOSPC}) {
    rig.disk->fail(kAllOps, error);
    ASSERT_TRUE(rig.rig->await([&] {
      return rig.rig->failing("log").find(std::strerror(error)) != std::string::npos;
    })) << std::strerror(error);
    rig.disk->heal();
    ASSERT_TRUE(rig.rig->await([&] {
      return rig.rig->failing("log").empty() && rig.rig->failing("projection").empty() &&
             rig.rig->node().deciding();
    }));
    EXPECT_EQ(rig.rig->answer_to(define_domain("d" + std::to_string(error))), "");
    EXPECT_FALSE(rig.ends());
  }
}

// The journal's rows up to its last one, as a database that lost its first tables has them.
void lose_beginning(const std::filesystem::path& folder) {
  auto rows = local::RowStore::open((folder / "log" / "rows").string(), options_of(folder).layout);
  ASSERT_TRUE(rows.ok()) << to_string(rows.error());
  ASSERT_TRUE((*rows)->remove_older(kJournal, INT64_MAX, SIZE_MAX));
}

TEST(NodeFaults, AJournalWithoutItsBeginningGoesOnFromAWholeStateAndElseIsRefusedByName) {
  const TempDir folder;
  controller::CellNodeConfig config;
  config.controller.stand_at_once = true;
  {
    const auto log = opened_log(folder.path());
    NodeRig rig(*log, folder.path(), config);
    ASSERT_TRUE(rig.start());
    ASSERT_TRUE(rig.define());
  }
  lose_beginning(folder.path());
  {
    const auto log = opened_log(folder.path());
    ASSERT_GT(log->extent(kJournal)->begin, 0u);
    NodeRig rig(*log, folder.path(), config);
    ASSERT_TRUE(rig.start());
    ASSERT_TRUE(rig.await([&] { return rig.node().deciding(); }));
    EXPECT_EQ(rig.answer_to(define_domain("after")), "");
    EXPECT_NE(rig.failing("journal-beginning"), "");
    const auto page = rig.api().read_journal(0, 10, 1u << 20);
    ASSERT_FALSE(page);
    EXPECT_EQ(page.error().code, "log-beginning-lost") << to_string(page.error());
    ASSERT_TRUE(rig.api().accept_truncation());
    EXPECT_EQ(rig.failing("journal-beginning"), "");
  }
  {
    const auto log = opened_log(folder.path());
    NodeRig rig(*log, folder.path(), config);
    ASSERT_TRUE(rig.start());
    EXPECT_EQ(rig.failing("journal-beginning"), "") << "a restart keeps what was accepted";
  }
  std::filesystem::remove_all(folder.path() / "state");
  const auto log = opened_log(folder.path());
  NodeRig rig(*log, folder.path(), config);
  const auto started = rig.start();
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code, "log-beginning-lost") << to_string(started.error());
}

}  // namespace
}  // namespace berth::testing
