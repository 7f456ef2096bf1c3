// How far an image is being built, in the words of its builder. One builder at a time: a second one is
// refused until the first has been silent for a while, or its build has failed.
#include "controller/decide/decide.h"
#include "controller/decide/name_retired.h"
#include "events/base/plain_text.h"
#include "events/base/text.h"
#include "projections/tables/image_bounds.h"

namespace berth::controller {
namespace {

using projections::ImageRow;

constexpr Duration kSilence = 30 * kMinute;  // after which another builder may take over

Refusal invalid(std::string message, std::string hint) {
  return {"invalid-value", std::move(message), std::move(hint)};
}

bool is_text(const std::string& text, std::size_t most) {
  return text.size() <= most && !has_control_character(text);
}

std::optional<Refusal> check(const v1::ImageBuildChanged& build) {
  if (build.reference().empty() || !is_text(build.reference(), projections::kImageReferenceMax))
    return invalid("a build of an image without a valid reference", "name:tag, like jupyter:4.6");
  if (build.percent() > 100)
    return invalid("a build is " + std::to_string(build.percent()) + " % done", "0 to 100");
  if (!is_text(build.step(), projections::kBuildStepMax))
    return invalid("the step of a build is too long or has a control character", "at most 200 bytes");
  if (!is_text(build.message(), projections::kBuildMessageMax))
    return invalid("why a build failed is too long or has a control character", "at most 1024 bytes");
  if (!is_text(build.builder(), kNameMax))
    return invalid("the builder's name is too long or has a control character", "at most 64 bytes");
  if (build.failed() == build.message().empty())
    return invalid("a build that failed says why, and no other does", "");
  return std::nullopt;
}

// Whether `next` is said by whoever said `now`. Builders without a name are told apart by this alone: a build
// does not go backwards.
bool goes_on(const v1::ImageBuildChanged& now, const v1::ImageBuildChanged& next) {
  if (now.builder() != next.builder()) return false;
  return !now.builder().empty() || next.failed() || next.percent() >= now.percent();
}

// An operator, who has no builder's name, may end a build.
bool is_ended_by_operator(const v1::ImageBuildChanged& next) {
  return next.failed() && next.builder().empty();
}

std::optional<Refusal> check_builder(const DecisionContext& c, const v1::ImageBuildChanged& next) {
  const ImageRow* row = c.state.images.find(next.reference());
  if (row == nullptr || !row->build || row->build->failed()) return std::nullopt;
  const v1::ImageBuildChanged& now = *row->build;
  if (c.now - row->build_moved_at >= kSilence || goes_on(now, next) || is_ended_by_operator(next))
    return std::nullopt;
  return Refusal{"image-being-built",
                 "image " + next.reference() + " is being built" +
                     (now.builder().empty() ? "" : " by " + now.builder()) + ", " +
                     std::to_string(now.percent()) + " %",
                 "wait for it; who says nothing new for 30 minutes may be taken over"};
}

}  // namespace

Decision decide(const DecisionContext& c, const v1::RecordImageBuild& body) {
  const v1::ImageBuildChanged& build = body.build();
  if (auto refusal = check(build)) return *refusal;
  if (auto retired = check_not_retired(c.state, v1::DEFINITION_KIND_IMAGE, build.reference()))
    return *retired;
  if (auto refusal = check_builder(c, build)) return *refusal;
  EventList events;
  *events.add(c.stamp).mutable_image_build_changed() = build;
  return events;
}

}  // namespace berth::controller
