// A transactional producer, as programs of others have them: each transaction's end takes an offset of its
// own in the partitions that it wrote to.
#pragma once

#include <string>

#include "events/log/kafka/handles.h"

namespace berth {

class TransactionalProducer {
 public:
  // Each of a name of its own. Failures are the test's.
  TransactionalProducer(const std::string& brokers, const std::string& name);

  // Begins a transaction if none is open, and waits until the broker has the record.
  void append(const std::string& topic, int partition, const std::string& payload);
  void commit();
  void abort();

 private:
  void expect_done(rd_kafka_error_t* error);

  kafka::Owned<rd_kafka_t> handle_;
  bool open_ = false;
};

}  // namespace berth
