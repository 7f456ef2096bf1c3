#include "tests/support/store_contract.h"

namespace berth::testing {

struct MemoryFactory {
  projections::Store& store() { return store_; }
  void reopen() {}  // the object is the disk
  projections::MemoryStore store_;
};
INSTANTIATE_TYPED_TEST_SUITE_P(Memory, StoreContract, MemoryFactory);

}  // namespace berth::testing
