// CHECK(condition): what the C++ tests of the core use. A failed check ends the
// test with the place and the condition.

#ifndef FLAGTREE_TESTS_CORE_CHECK_H
#define FLAGTREE_TESTS_CORE_CHECK_H

#include <cstdio>
#include <cstdlib>

#define CHECK(condition)                                                       \
  do {                                                                         \
    if (!(condition)) {                                                        \
      std::fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__,          \
                   #condition);                                                \
      std::exit(1);                                                            \
    }                                                                          \
  } while (false)

#endif // FLAGTREE_TESTS_CORE_CHECK_H
