#include "tests/unit/api/support/stream_client.h"

#include <gtest/gtest.h>

#include <chrono>

namespace berth::testing {
namespace {

constexpr std::chrono::seconds kPatienceOfClient{20};

}  // namespace

api::HttpRequest stream_request(const ApiRig& rig, const std::string& what, const std::string& session,
                                const std::string& key) {
  auto request = rig.request({.target = "/v1/sessions/" + session + "/" + what, .key = key});
  request.port = 7410;
  request.connection = "keep-alive, Upgrade";
  request.upgrade = "websocket";
  request.web_socket_key = "dGhlIHNhbXBsZSBub25jZQ==";
  request.web_socket_version = "13";
  request.web_socket_protocol = "berth.session.v1";
  return request;
}

StreamClient::StreamClient(const api::HttpReply& reply) : relay_(reply.relay) {
  EXPECT_EQ(reply.status, 101u) << reply.body;
  if (relay_) pull(shared_, relay_);
}

StreamClient::~StreamClient() {
  const std::lock_guard lock(shared_->mutex);
  shared_->takes = false;
}

void StreamClient::pull(const std::shared_ptr<Shared>& shared,
                        const std::weak_ptr<api::MessageRelay>& relay) {
  const auto alive = relay.lock();
  if (!alive) return;
  {
    const std::lock_guard lock(shared->mutex);
    if (!shared->takes || shared->asked || shared->close) return;
    shared->asked = true;
  }
  alive->next([shared, relay](api::MessageRelay::Batch batch) {
    {
      const std::lock_guard lock(shared->mutex);
      shared->asked = false;
      for (auto& message : batch.messages) shared->came.push_back(std::move(message));
      if (batch.close) shared->close = *batch.close;
    }
    shared->changed.notify_all();
    pull(shared, relay);
  });
}

void StreamClient::take(bool takes) {
  {
    const std::lock_guard lock(shared_->mutex);
    shared_->takes = takes;
  }
  if (takes) pull(shared_, relay_);
}

bool StreamClient::say_one(api::Message message, bool waits) {
  {
    std::unique_lock lock(shared_->mutex);
    if (!shared_->changed.wait_for(lock, kPatienceOfClient, [this] { return shared_->may_say; }))
      return false;
    shared_->may_say = false;
  }
  relay_->take(std::move(message), [shared = shared_] {
    {
      const std::lock_guard lock(shared->mutex);
      shared->may_say = true;
    }
    shared->changed.notify_all();
  });
  std::unique_lock lock(shared_->mutex);
  if (waits) return shared_->changed.wait_for(lock, kPatienceOfClient, [this] { return shared_->may_say; });
  return shared_->may_say;
}

std::string StreamClient::next() {
  std::unique_lock lock(shared_->mutex);
  if (!shared_->changed.wait_for(lock, kPatienceOfClient, [this] { return !shared_->came.empty(); }))
    return "nothing";
  std::string bytes = std::move(shared_->came.front().bytes);
  shared_->came.pop_front();
  return bytes;
}

boost::json::value StreamClient::json() {
  const std::string text = next();
  boost::system::error_code error;
  auto value = boost::json::parse(text, error);
  EXPECT_FALSE(error) << text;
  return value;
}

int StreamClient::close() {
  std::unique_lock lock(shared_->mutex);
  const bool came =
      shared_->changed.wait_for(lock, kPatienceOfClient, [this] { return shared_->close.has_value(); });
  return came ? *shared_->close : 0;
}

std::string StreamClient::problem() {
  const auto value = json();
  if (!value.is_object() || !value.as_object().contains("problem")) return boost::json::serialize(value);
  return std::string(value.at("problem").at("code").as_string()) + " " + std::to_string(close());
}

}  // namespace berth::testing
