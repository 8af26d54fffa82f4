#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>

#include "bindings.h"
#include "keywords.h"
#include "status_error.h"

namespace nb = nanobind;

namespace lance::python {

OpenOptions TakeOpenOptions(Keywords* keywords, std::shared_ptr<Session> session) {
  OpenOptions options;
  options.session = std::move(session);
  keywords->Take("storage_options", &options.storage_options);
  return options;
}

CommitOptions TakeCommitOptions(Keywords* keywords) {
  CommitOptions options;
  keywords->Take("commit_message", &options.message)
      .Take("transaction_properties", &options.properties)
      .Take("max_retries", &options.max_retries);
  return options;
}

void BindSession(nb::module_& m) {
  nb::class_<Session>(m, "Session")
      .def("memory_in_use_bytes", &Session::memory_in_use_bytes)
      .def("index_cache_bytes",
           [](const Session& self) { return self.options().index_cache_bytes; })
      .def("metadata_cache_bytes",
           [](const Session& self) { return self.options().metadata_cache_bytes; })
      .def("drop_caches", &Session::DropCaches);
  m.def("make_session", [](nb::kwargs arguments) {
    SessionOptions options;
    Keywords keywords(std::move(arguments));
    keywords.Take("max_memory_bytes", &options.max_memory_bytes)
        .Take("num_threads", &options.num_threads)
        .Take("index_cache_bytes", &options.index_cache_bytes)
        .Take("metadata_cache_bytes", &options.metadata_cache_bytes)
        .Take("storage_options", &options.storage_options)
        .Finish();
    return ValueOrThrow(Session::Make(std::move(options)));
  });
}

}  // namespace lance::python
