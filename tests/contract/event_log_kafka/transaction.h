// A transactional producer, as programs of others have them: each transaction's end takes an offset of its
// own in the partitions that it wrote to.
#pragma once

#include <string>

#include "events/log/event_log.h"
#include "events/log/kafka/handles.h"

namespace berth {

class TransactionalProducer {
 public:
  // Each of a name of its own. Failures are the test's.
  TransactionalProducer(const std::string& brokers, const std::string& name);

  // Begins a transaction if none is open, and waits until the broker has the record. A transaction writes to
  // one partition.
  void append(const std::string& topic, int partition, const std::string& payload);
  // Return when the mark is in the partition: the coordinator writes it later than it answers.
  void commit();
  void abort();

 private:
  Offset committed_end();
  void await_mark();
  void expect_done(rd_kafka_error_t* error);

  kafka::Owned<rd_kafka_t> handle_;
  std::string topic_;
  int partition_ = 0;
  Offset begin_ = 0;  // of the transaction
  bool open_ = false;
};

}  // namespace berth
