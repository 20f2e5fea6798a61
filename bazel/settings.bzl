"""Build settings: values chosen on the command line, see .bazelrc."""

def _empty(_ctx):
    return []

bool_setting = rule(implementation = _empty, build_setting = config.bool(flag = True))
string_setting = rule(implementation = _empty, build_setting = config.string(flag = True))

# For `target_compatible_with` of tests of CommonIR: without it they are not built and not run.
COMMON_IR_ONLY = select({
    "//bazel:common_ir": [],
    "//conditions:default": ["//bazel:another_configuration"],
})

def on_off(name):
    """`name` is `name_on` or `name_off`, as FLAGTREE_COMMON_IR says.

    What differs with the flag is built as two targets, so both wheels can be made and compared in one build, and everything
    else is compiled once.
    """
    native.alias(
        name = name,
        actual = select({
            "//bazel:common_ir": name + "_on",
            "//conditions:default": name + "_off",
        }),
        visibility = ["//visibility:public"],
    )
