// The messages of a stream into a kernel (subprotocol berth.session.v1) as values. Pure.
//
//   client                                      server
//   text: what is asked for    ----------->
//   binary: stdin, or typed    ----------->
//   text: size, end of input   ----------->
//                              <-----------   text: begun
//                              <-----------   binary: 1 and stdout or the terminal, 2 and stderr; text: lost
//                              <-----------   text: app, at each change of the app that is started
//                              <-----------   text: ended or problem, the last
//
// A connection to an app has no first message and no begun: bytes come and go as they are.
// README.md has the texts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "controller/api/http/http.h"
#include "events/base/result.h"
#include "events/codec/image_labels.h"
#include "events/inside/answers.h"
#include "events/inside/messages.h"
#include "events/schema/v1/event.pb.h"

namespace berth::controller::api {

inline constexpr char kSubprotocol[] = "berth.session.v1";
inline constexpr Code kMessageInvalid = "message-invalid";
inline constexpr std::size_t kInputBytesMax = 64u << 10;  // of a binary message

// The first message of the client. Code: message-invalid; the message names the place. REQUIRES: not APP.
Result<inside::Request> read_request(v1::WayKind kind, std::string_view text);
// The same of a start of an app: what the client adds to what the image declares.
Result<inside::Request> read_app_start(const ImageApp& app, std::string_view text);

// A later text of the client.
struct EndOfInput {};
using Told = std::variant<inside::Size, EndOfInput>;
// Code: message-invalid.
Result<Told> read_told(std::string_view text);

std::string_view name_of(inside::AppState state);  // "starting", "ready", "ended"

// What the client is told. REQUIRES: not is_of_inquiry().
Message message_of(const inside::Answer& answer);
Message message_of(const Error& problem);

}  // namespace berth::controller::api
