// Learning beside the strand: each question is answered once, with what the pure function says, and nothing
// comes after the stop.
#include "controller/runtime/learner.h"

#include <gtest/gtest.h>

#include <map>

namespace berth::controller {
namespace {

LearnSelection question(const std::string& group, bool shape) {
  LearnSelection asked;
  asked.group = group;
  asked.shape = shape;
  placement::fragmentation::Node node;
  node.cpu_milli = 64'000;
  node.model = 1;
  node.gpus = 4;
  for (std::size_t i = 0; i < 4; ++i) node.gpu_milli[i] = placement::fragmentation::kWholeGpu;
  asked.nodes.assign(6, node);
  asked.mix = {{{4'000, 1, 300}, 5}, {{8'000, 1, 1'000}, 2}, {{2'000, 0, 0}, 3}};
  return asked;
}

// What came until there are so many answers; by group.
std::map<std::string, std::string> answers_of(CoreQueue& queue, std::size_t count) {
  std::map<std::string, std::string> found;
  std::vector<Input> inputs;
  while (found.size() < count) {
    inputs.clear();
    queue.take(60 * kSecond, inputs);
    if (inputs.empty()) break;  // a minute without an answer
    for (const Input& input : inputs) {
      const v1::SelectionLearned& learned = std::get<SelectionFound>(input).learned;
      EXPECT_TRUE(found.emplace(learned.group(), learned.SerializeAsString()).second)
          << learned.group() << " was answered twice";
    }
  }
  return found;
}

TEST(Learner, AnswersEachQuestionOnceWithWhatThePureFunctionSays) {
  CoreQueue queue;
  Learner learner(queue);
  learner.ask({question("a", true), question("b", false)});
  learner.ask({question("c", true)});
  const auto found = answers_of(queue, 3);
  ASSERT_EQ(found.size(), 3u);
  for (const auto& asked : {question("a", true), question("b", false), question("c", true)})
    EXPECT_EQ(found.at(asked.group), learn_selection(asked).learned.SerializeAsString()) << asked.group;
}

TEST(Learner, EndsWhatIsUnderWayAndTakesNothingAfterTheStop) {
  CoreQueue queue;
  Learner learner(queue);
  learner.ask({question("a", false)});
  EXPECT_EQ(answers_of(queue, 1).size(), 1u);
  learner.stop();
  learner.ask({question("late", false)});
  learner.stop();
  EXPECT_EQ(queue.size(), 0u);
}

}  // namespace
}  // namespace berth::controller
