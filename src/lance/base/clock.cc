#include "lance/base/clock.h"

#include <algorithm>
#include <thread>

namespace lance {

namespace {

using std::chrono::nanoseconds;

class MachineClock : public Clock {
 public:
  Timestamp Now() override {
    return std::chrono::time_point_cast<nanoseconds>(std::chrono::system_clock::now());
  }

  nanoseconds Steady() override {
    return std::chrono::duration_cast<nanoseconds>(
        std::chrono::steady_clock::now().time_since_epoch());
  }

  arrow::Status Sleep(nanoseconds duration, const arrow::StopToken& stop) override {
    // A stop token has nothing to wait on, so waiting is many short sleeps.
    constexpr nanoseconds kPollInterval = std::chrono::milliseconds(50);
    const nanoseconds start = Steady();
    for (;;) {
      ARROW_RETURN_NOT_OK(stop.Poll());
      const nanoseconds passed = Steady() - start;
      if (passed >= duration) return arrow::Status::OK();
      std::this_thread::sleep_for(std::min(kPollInterval, duration - passed));
    }
  }
};

}  // namespace

Clock& SystemClock() {
  static MachineClock clock;
  return clock;
}

}  // namespace lance
