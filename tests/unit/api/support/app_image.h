// An image that declares apps of every kind, and sessions of it.
#pragma once

#include <string>

#include "tests/support/limits.h"

namespace berth::testing {

inline v1::Event image_labelled(const std::string& reference,
                                const std::vector<std::pair<std::string, std::string>>& labels) {
  v1::Event e = image_registered(reference);
  for (const auto& [key, value] : labels) {
    auto* label = e.mutable_image_registered()->add_labels();
    label->set_key(key);
    label->set_value(value);
  }
  return e;
}

inline v1::Event image_with_apps(const std::string& reference = "lab:1") {
  return image_labelled(
      reference,
      {{"berth.apps", "jupyter:http:8080,board:http:6006,db:tcp:5432,top:pty:9000,mine:preopen:8501"},
       {"berth.app.jupyter.command", R"(["jupyter","lab"])"},
       {"berth.app.jupyter.title", "JupyterLab"},
       {"berth.app.jupyter.socket", "/var/lib/apps/lab.sock"},
       {"berth.app.jupyter.token", "JUPYTER_TOKEN"},
       {"berth.app.board.command", R"(["tensorboard"])"},
       {"berth.app.db.command", R"(["postgres"])"},
       {"berth.app.top.command", R"(["top"])"},
       {"berth.min.mem", "512m"}});
}

// alice's session that runs on a1, of image_with_apps().
inline Events running_lab(const std::string& session) {
  return running(session, "a1", Spec().image("lab:1"));
}

}  // namespace berth::testing
