// The exported functions, called as a C program would, from several threads.

#include "core/api/flagtree_core.h"
#include "tests/core/check.h"
#include <cstring>
#include <string>
#include <thread>
#include <vector>

static const FlagtreeResult *run(const std::string &text,
                                 const char *pipeline = "") {
  return flagtree_run(text.data(), text.size(), pipeline, nullptr);
}

static void testResult() {
  const FlagtreeResult *result = run("tt.func @f() {\n  tt.return\n}\n");
  CHECK(result->ok);
  CHECK(result->numDiagnostics == 0);
  CHECK(std::strlen(result->text) == result->textSize);
  CHECK(std::strstr(result->text, "sym_name = \"f\""));
  flagtree_free(result);
}

static void testTextNeedsNoTerminator() {
  std::string text = "module {}garbage";
  const FlagtreeResult *result = flagtree_run(text.data(), 9, "", nullptr);
  CHECK(result->ok);
  flagtree_free(result);
}

static void testError() {
  const FlagtreeResult *result =
      run("tt.func private @tle.nothing.0() loc(callsite(\"a.py\":3:4 at "
          "\"b.py\":5:6))",
          "builtin.module(raise-intrinsics)");
  CHECK(!result->ok);
  CHECK(!result->text);
  CHECK(result->numDiagnostics == 1);
  const FlagtreeDiagnostic &error = result->diagnostics[0];
  CHECK(error.severity == FLAGTREE_ERROR);
  CHECK(std::strstr(error.message, "[I1]"));
  CHECK(!std::strcmp(error.file, "a.py"));
  CHECK(error.line == 3 && error.column == 4);
  CHECK(error.numNotes == 1);
  CHECK(error.notes[0].severity == FLAGTREE_NOTE);
  CHECK(!std::strcmp(error.notes[0].file, "b.py"));
  CHECK(error.notes[0].line == 5 && error.notes[0].column == 6);
  CHECK(error.notes[0].numNotes == 0);
  flagtree_free(result);
}

static void testTables() {
  CHECK(std::strlen(flagtree_version()) > 0);
  const FlagtreeResult *table = flagtree_intrinsics();
  CHECK(table->ok);
  CHECK(std::strstr(table->text, "tle.alloc alignment\n"));
  flagtree_free(table);
  flagtree_free(nullptr);
}

static void testThreads() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([i] {
      std::string name = "kernel" + std::to_string(i);
      for (int repeat = 0; repeat < 20; ++repeat) {
        const FlagtreeResult *result =
            run("tt.func @" + name + "() {\n  tt.return\n}\n",
                "builtin.module(raise-intrinsics,canonicalize,cse)");
        CHECK(result->ok && std::strstr(result->text, name.c_str()));
        flagtree_free(result);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

int main() {
  testResult();
  testTextNeedsNoTerminator();
  testError();
  testTables();
  testThreads();
}
