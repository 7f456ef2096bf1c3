// Fields of CSV as the API gives them. Pure.
#pragma once

#include <string>

namespace berth::controller::api {

// By RFC 4180. A field that begins like a formula (= + - @, a tab, a CR) gets a ' in front of it, so that no
// spreadsheet runs what somebody named a session. Numbers are not to be given to it.
std::string csv_field(const std::string& text);

}  // namespace berth::controller::api
