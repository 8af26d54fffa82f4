#include "terminal_progress.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>

#include "output.h"

namespace lancectl {

namespace {

class TerminalObserver : public lance::Observer {
 public:
  TerminalObserver(bool shows_bar, bool shows_warnings)
      : shows_bar_(shows_bar), shows_warnings_(shows_warnings) {}

  void OnProgress(const lance::Progress& progress) override {
    if (!shows_bar_) return;
    if (progress.event != lance::ProgressEvent::kProgress) {
      std::fputs("\r\033[K", stderr);  // the line is the command's again
      return;
    }
    std::string line =
        progress.operation + " " + progress.stage + " " + std::to_string(progress.completed);
    if (progress.total && *progress.total > 0) {
      const uint64_t percent = std::min<uint64_t>(100, progress.completed * 100 / *progress.total);
      line += " of " + std::to_string(*progress.total) + " (" + std::to_string(percent) + " %)";
    }
    std::fprintf(stderr, "\r\033[K%s %s", line.c_str(), progress.unit.c_str());
  }

  void OnWarning(const lance::Warning& warning) override {
    if (!shows_warnings_) return;
    std::fprintf(stderr, "%swarning: %s (%s)\n", shows_bar_ ? "\r\033[K" : "",
                 PrintableMessage(warning.message).c_str(), warning.code.c_str());
  }

 private:
  bool shows_bar_;
  bool shows_warnings_;
};

}  // namespace

std::shared_ptr<lance::Observer> MakeTerminalObserver(const CommonFlags& flags) {
  const bool shows_bar = !flags.quiet && !flags.no_progress && !flags.json && isatty(2) != 0;
  return std::make_shared<TerminalObserver>(shows_bar, !flags.quiet);
}

}  // namespace lancectl
