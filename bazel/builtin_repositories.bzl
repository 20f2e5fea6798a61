"""Local stand-ins for repositories that Bazel 4 would fetch for its own BUILD files, although nothing here uses them."""

def builtin_repositories():
    """Overrides them on Bazel 4 (Debian's build says no version at all); a later Bazel keeps its own."""
    version = native.bazel_version
    if version and not version.startswith("4."):
        return
    for name in ["remote_coverage_tools", "rules_cc", "rules_java", "rules_proto"]:
        native.local_repository(name = name, path = "third_party/" + name)
