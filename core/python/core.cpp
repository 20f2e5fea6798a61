//===- core.cpp - Python module flagtree._core ----------------------------===//
//
// The compiler core for Python: text in, text out. Only this file is built per
// Python version.
//
//===----------------------------------------------------------------------===//

#include "core/api/flagtree_core.h"
#include <memory>
#include <optional>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <sstream>

namespace py = pybind11;

namespace {

struct Free {
  void operator()(const FlagtreeResult *result) const { flagtree_free(result); }
};
using Result = std::unique_ptr<const FlagtreeResult, Free>;

/// The text of the core as Python text; user names may hold any bytes.
py::str toText(const char *text, size_t size) {
  return py::reinterpret_steal<py::str>(
      PyUnicode_DecodeUTF8(text, static_cast<Py_ssize_t>(size), "replace"));
}

py::str toText(const char *text) {
  return toText(text, std::char_traits<char>::length(text));
}

const char *nameOf(FlagtreeSeverity severity) {
  switch (severity) {
  case FLAGTREE_ERROR:
    return "error";
  case FLAGTREE_WARNING:
    return "warning";
  case FLAGTREE_REMARK:
    return "remark";
  case FLAGTREE_NOTE:
    return "note";
  }
  return "error";
}

/// A diagnostic as a Diagnostic tuple of this module.
py::object toDiagnostic(const py::object &type,
                        const FlagtreeDiagnostic &diagnostic) {
  py::list notes;
  for (size_t i = 0; i < diagnostic.numNotes; ++i)
    notes.append(toDiagnostic(type, diagnostic.notes[i]));
  return type(nameOf(diagnostic.severity), toText(diagnostic.message),
              toText(diagnostic.file), diagnostic.line, diagnostic.column,
              notes);
}

/// "file:line:column: severity: message" and the notes, one line each.
void describe(const FlagtreeDiagnostic &diagnostic, std::ostream &stream) {
  if (diagnostic.line)
    stream << diagnostic.file << ':' << diagnostic.line << ':'
           << diagnostic.column << ": ";
  stream << nameOf(diagnostic.severity) << ": " << diagnostic.message;
  for (size_t i = 0; i < diagnostic.numNotes; ++i)
    describe(diagnostic.notes[i], stream << '\n');
}

class Core {
public:
  Core() {
    diagnosticType =
        py::module_::import("collections")
            .attr("namedtuple")("Diagnostic",
                                "severity message file line "
                                "column notes",
                                py::arg("module") = "flagtree._core");
  }

  py::object diagnosticType;
  py::object errorType;

  /// Raises CoreError with all diagnostics; the first error leads.
  [[noreturn]] void raise(const FlagtreeResult &result) const {
    py::list diagnostics;
    std::optional<size_t> first;
    std::ostringstream description;
    for (size_t i = 0; i < result.numDiagnostics; ++i) {
      const FlagtreeDiagnostic &diagnostic = result.diagnostics[i];
      diagnostics.append(toDiagnostic(diagnosticType, diagnostic));
      if (diagnostic.severity == FLAGTREE_ERROR && !first)
        first = i;
      describe(diagnostic, i ? description << '\n' : description);
    }
    py::object leading = diagnostics[first.value_or(0)];
    std::string text = description.str();
    py::object error = errorType(toText(text.c_str(), text.size()));
    for (const char *name : {"message", "file", "line", "column", "notes"})
      error.attr(name) = leading.attr(name);
    error.attr("diagnostics") = diagnostics;
    PyErr_SetObject(errorType.ptr(), error.ptr());
    throw py::error_already_set();
  }

  /// Passes warnings on to Python's warnings, at the user's line.
  static void warn(const FlagtreeResult &result) {
    for (size_t i = 0; i < result.numDiagnostics; ++i) {
      const FlagtreeDiagnostic &diagnostic = result.diagnostics[i];
      if (diagnostic.severity != FLAGTREE_WARNING)
        continue;
      py::str file(toText(diagnostic.line ? diagnostic.file : "flagtree"));
      py::str message(toText(diagnostic.message));
      if (PyErr_WarnExplicitObject(PyExc_UserWarning, message.ptr(), file.ptr(),
                                   diagnostic.line ? diagnostic.line : 1,
                                   nullptr, nullptr))
        throw py::error_already_set();
    }
  }

  py::str run(const std::string &text, const std::string &pipeline,
              const std::optional<std::string> &dumpDir) const {
    Result result;
    {
      py::gil_scoped_release unlocked;
      result.reset(flagtree_run(text.data(), text.size(), pipeline.c_str(),
                                dumpDir ? dumpDir->c_str() : nullptr));
    }
    if (!result->ok)
      raise(*result);
    warn(*result);
    return toText(result->text, result->textSize);
  }
};

/// {"tle.alloc": ["alignment"], ...}
py::dict intrinsics() {
  Result result(flagtree_intrinsics());
  py::dict table;
  std::istringstream lines(std::string(result->text, result->textSize));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name;
    words >> name;
    py::list attributes;
    for (std::string attribute; words >> attribute;)
      attributes.append(attribute);
    table[py::str(name)] = attributes;
  }
  return table;
}

} // namespace

PYBIND11_MODULE(_core, module) {
  module.doc() = "The compiler core: modules in text in, modules in text out.";

  auto core = std::make_shared<Core>();
  module.attr("Diagnostic") = core->diagnosticType;
  core->errorType = py::reinterpret_steal<py::object>(PyErr_NewExceptionWithDoc(
      "flagtree._core.CoreError",
      "The core refused a module. `message`, `file`, `line`, `column` and "
      "`notes` are of the first error,\n`diagnostics` lists all; places are "
      "those of the user's kernel, file \"\" and line 0 where none is known.",
      nullptr, nullptr));
  module.attr("CoreError") = core->errorType;

  module.def(
      "version", [] { return toText(flagtree_version()); },
      "Version of the wheel this core belongs to.");
  module.def(
      "common_ir_enabled", [] { return flagtree_common_ir_enabled() != 0; },
      "Whether this core was built with FLAGTREE_COMMON_IR.");
  module.def("intrinsics", &intrinsics,
             "The intrinsics the core knows: name -> names of attributes.");
  module.def(
      "run",
      [core](const std::string &text, const std::string &pipeline,
             const std::optional<std::string> &dumpDir) {
        return core->run(text, pipeline, dumpDir);
      },
      py::arg("text"), py::arg("pipeline"), py::arg("dump_dir") = py::none(),
      "Parse module `text`, run `pipeline` (\"builtin.module(a,b{x=1})\", "
      "empty: "
      "no pass) and return it in generic form\nwith locations. With "
      "`dump_dir`, "
      "the module before and after each pass is written to\n"
      "<dump_dir>/<kernel>/<number>-<pass>.mlir. Raises CoreError. Other "
      "threads "
      "run meanwhile.");
}
