// The message in an envelope's body.
#pragma once

#include "events/base/result.h"
#include "events/codec/envelope.h"

namespace berth {

// False if the envelope did not open, or its body is no such message.
template <class Message> bool parse_body(const Result<Envelope>& envelope, Message& message) {
  return envelope && message.ParseFromArray(envelope->body.data(), static_cast<int>(envelope->body.size()));
}

}  // namespace berth
