/*===- flagtree_core.h - The compiler core: text in, text out ---*- C -*-===*\
|*                                                                          *|
|* The only exported symbols of libflagtree_core.so. All strings are UTF-8. *|
|* Every function may be called from several threads at once.               *|
|*                                                                          *|
\*===--------------------------------------------------------------------===*/

#ifndef FLAGTREE_CORE_API_FLAGTREE_CORE_H
#define FLAGTREE_CORE_API_FLAGTREE_CORE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FLAGTREE_EXPORT __attribute__((visibility("default")))

typedef enum FlagtreeSeverity {
  FLAGTREE_ERROR,
  FLAGTREE_WARNING,
  FLAGTREE_REMARK,
  FLAGTREE_NOTE,
} FlagtreeSeverity;

/* `file` is empty and `line` and `column` are 0 where no place is known. */
typedef struct FlagtreeDiagnostic {
  FlagtreeSeverity severity;
  const char *message;
  const char *file;
  int line;
  int column;
  const struct FlagtreeDiagnostic *notes;
  size_t numNotes;
} FlagtreeDiagnostic;

typedef struct FlagtreeResult {
  int ok;
  /* The module in generic form with locations; null unless ok. */
  const char *text;
  size_t textSize;
  /* In the order they were reported; at least one error unless ok. */
  const FlagtreeDiagnostic *diagnostics;
  size_t numDiagnostics;
} FlagtreeResult;

/* Version of the wheel this core belongs to. */
FLAGTREE_EXPORT const char *flagtree_version(void);

/* 1 if this core was built with FLAGTREE_COMMON_IR. */
FLAGTREE_EXPORT int flagtree_common_ir_enabled(void);

/* The table of intrinsics as text: one line each, "<name> <attribute>...". */
FLAGTREE_EXPORT const FlagtreeResult *flagtree_intrinsics(void);

/* Parses the module `text`, runs `pipeline` on it ("builtin.module(a,b{x=1})";
 * empty: no pass) and prints it. If `dumpDir` is not null, the module before
 * and after each pass is written to <dumpDir>/<kernel>/<number>-<pass>.mlir;
 * numbers continue behind the files already there. */
FLAGTREE_EXPORT const FlagtreeResult *flagtree_run(const char *text,
                                                   size_t textSize,
                                                   const char *pipeline,
                                                   const char *dumpDir);

/* Frees what flagtree_intrinsics or flagtree_run returned. */
FLAGTREE_EXPORT void flagtree_free(const FlagtreeResult *result);

#ifdef __cplusplus
}
#endif

#endif /* FLAGTREE_CORE_API_FLAGTREE_CORE_H */
