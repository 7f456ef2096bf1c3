// Which rows an event changed, for a difference between two moments. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "events/schema/v1/event.pb.h"

namespace berth::controller::api {

// A noun of diff_nouns.h and a key of its table. Of a kernel's event the noun is "kernel" and the key the
// kernel's: whose it is, the reader of the journal knows.
using DiffSubject = std::pair<std::string, std::string>;
std::vector<DiffSubject> diff_subjects(const v1::Event& event);

// What an event is about, for who selects events: a noun of the above, whereby a session is its kernels, too;
// "producer"; else "cluster".
std::string noun_of(const v1::Event& event);
// All that noun_of() may say.
std::span<const std::string_view> event_nouns();

}  // namespace berth::controller::api
