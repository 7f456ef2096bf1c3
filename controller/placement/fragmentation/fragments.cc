#include "controller/placement/fragmentation/fragments.h"

#include <algorithm>
#include <array>

namespace berth::placement::fragmentation {

namespace {

// [k - 1] = ln(k / (100 - k)) in millionths, rounded up.
constexpr std::array<std::int64_t, 99> kThresholds = {
    -4'595'119, -3'891'820, -3'476'098, -3'178'053, -2'944'438, -2'751'535, -2'586'689, -2'442'347,
    -2'313'634, -2'197'224, -2'090'741, -1'992'430, -1'900'958, -1'815'289, -1'734'601, -1'658'228,
    -1'585'627, -1'516'347, -1'450'010, -1'386'294, -1'324'925, -1'265'666, -1'208'311, -1'152'679,
    -1'098'612, -1'045'968, -994'622,   -944'461,   -895'384,   -847'297,   -800'119,   -753'771,
    -708'185,   -663'294,   -619'039,   -575'364,   -532'216,   -489'548,   -447'312,   -405'465,
    -363'965,   -322'773,   -281'851,   -241'162,   -200'670,   -160'342,   -120'144,   -80'042,
    -40'005,    0,          40'006,     80'043,     120'145,    160'343,    200'671,    241'163,
    281'852,    322'774,    363'966,    405'466,    447'313,    489'549,    532'217,    575'365,
    619'040,    663'295,    708'186,    753'772,    800'120,    847'298,    895'385,    944'462,
    994'623,    1'045'969,  1'098'613,  1'152'680,  1'208'312,  1'265'667,  1'324'926,  1'386'295,
    1'450'011,  1'516'348,  1'585'628,  1'658'229,  1'734'602,  1'815'290,  1'900'959,  1'992'431,
    2'090'742,  2'197'225,  2'313'635,  2'442'348,  2'586'690,  2'751'536,  2'944'439,  3'178'054,
    3'476'099,  3'891'821,  4'595'120,
};

}  // namespace

std::int64_t fragments(const Node& node, const Ask& ask) {
  if (ask.gpus == 0 || !fits(node, ask)) return node.free_milli();
  std::int64_t sum = 0;
  for (std::int32_t i = 0; i < node.gpus; ++i) {
    const std::int32_t left = node.gpu_milli[static_cast<std::size_t>(i)];
    if (left < ask.gpu_milli) sum += left;
  }
  return sum;
}

std::int64_t fragments(const Node& node, const ClassMix& mix) {
  std::int64_t sum = 0;
  for (const ClassShare& share : mix.classes) sum += share.count * fragments(node, share.ask);
  return sum;
}

std::int64_t fgd_score(std::int64_t before, std::int64_t after, std::int64_t total) {
  if (total <= 0) return 50;
  // x * 10^6 with x = (before - after) / total / 1000; x >= t / 10^6 is 1000 * (before - after) >= t * total.
  const std::int64_t gain = 1000 * (before - after);
  const auto above = std::partition_point(kThresholds.begin(), kThresholds.end(),
                                          [&](std::int64_t threshold) { return gain >= threshold * total; });
  return above - kThresholds.begin();
}

}  // namespace berth::placement::fragmentation
