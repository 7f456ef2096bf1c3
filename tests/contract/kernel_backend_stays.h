// Processes that were killed and do not end: the kernel keeps what it has until they have (P24), and they are
// told by name.
#pragma once

#include <optional>

#include "tests/contract/hung_mount.h"
#include "tests/contract/kernel_backend_contract.h"
#include "tests/contract/kernel_backend_real_rig.h"
#include "tests/contract/own_mounts.h"

namespace berth::agents::contract {

class KernelStays : public KernelBackendContract {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "needs root";
    own_.emplace();
    hung_.emplace();
    if (!hung_->is_there()) GTEST_SKIP() << "no FUSE on this machine";
    KernelBackendContract::SetUp();
  }
  void TearDown() override {
    if (hung_) hung_->let_go();
    KernelBackendContract::TearDown();
    backend_.reset();
    rig_.reset();
    hung_.reset();
    own_.reset();
  }

  void await_hung() {
    for (int i = 0; i < 2000 && hung_->asked() == 0; ++i) rig_->step(*backend_);
    ASSERT_GT(hung_->asked(), 0);
  }
  // Told, and with its slots until the mount lets go.
  void expect_that_it_stays(const KernelKey& key) {
    const KernelEvent told = await(key, KernelEvent::What::kStays);
    EXPECT_EQ(told.error.code, "kernel-stays");
    EXPECT_NE(told.error.message.find("cat (process "), std::string::npos) << told.error.message;
    usleep(500'000);  // no end is to come in it
    EXPECT_FALSE(find(key, KernelEvent::What::kEnded).has_value());
    EXPECT_NE(log(key).find("do not end"), std::string::npos) << log(key);
  }

  std::optional<OwnMounts> own_;
  std::optional<HungMount> hung_;
};

}  // namespace berth::agents::contract
