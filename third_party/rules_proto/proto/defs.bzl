"""The names Bazel's own BUILD files load from rules_proto, over the native rules."""

_ProtoInfo = ProtoInfo

ProtoInfo = _ProtoInfo
proto_lang_toolchain = native.proto_lang_toolchain
proto_library = native.proto_library
