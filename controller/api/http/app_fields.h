// Header fields between Beast's form and that of app_headers.h. For the files of AppConnection alone.
#pragma once

#include <string>

#include "controller/api/apps/app_headers.h"
#include "controller/api/http/client_stream.h"

namespace berth::controller::api {

template <class Fields> HeaderFields fields_of(const Fields& from) {
  HeaderFields out;
  for (const auto& field : from)
    out.emplace_back(std::string(field.name_string().data(), field.name_string().size()),
                     std::string(field.value().data(), field.value().size()));
  return out;
}

template <class Fields> void fill(Fields& to, const HeaderFields& fields) {
  for (const auto& [name, value] : fields) to.insert(name, value);
}

template <class Fields> std::string value_of(const Fields& fields, boost::beast::http::field name) {
  const auto value = fields[name];
  return std::string(value.data(), value.size());
}

}  // namespace berth::controller::api
