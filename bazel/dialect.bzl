"""One call per .td file of a dialect: declarations, definitions and the reference page, so that none can drift."""

load("//bazel:tablegen.bzl", "gentbl", "gentbl_cc")

_KINDS = {
    "dialect": {".h.inc": ["-gen-dialect-decls"], ".cpp.inc": ["-gen-dialect-defs"]},
    "attributes": {".h.inc": ["-gen-attrdef-decls"], ".cpp.inc": ["-gen-attrdef-defs"]},
    "types": {".h.inc": ["-gen-typedef-decls"], ".cpp.inc": ["-gen-typedef-defs"]},
    "enums": {".h.inc": ["-gen-enum-decls"], ".cpp.inc": ["-gen-enum-defs"]},
    "op_interfaces": {".h.inc": ["-gen-op-interface-decls"], ".cpp.inc": ["-gen-op-interface-defs"]},
    "attr_interfaces": {".h.inc": ["-gen-attr-interface-decls"], ".cpp.inc": ["-gen-attr-interface-defs"]},
    "type_interfaces": {".h.inc": ["-gen-type-interface-decls"], ".cpp.inc": ["-gen-type-interface-defs"]},
    "ops": {".h.inc": ["-gen-op-decls"], ".cpp.inc": ["-gen-op-defs"]},
}

_DOCS = {
    "dialect": "-gen-dialect-doc",
    "attributes": "-gen-attrdef-doc",
    "types": "-gen-typedef-doc",
    "ops": "-gen-op-doc",
}

def flagtree_dialect(kind, td_file, dialect, deps = [":td_files"], visibility = ["//visibility:public"]):
    """Makes `<kind>_inc_gen` of `td_file`.

    Args:
      kind: one of dialect, attributes, types, enums, op_interfaces, attr_interfaces, type_interfaces, ops.
      td_file: e.g. TleOps.td; the outputs are TleOps.h.inc and TleOps.cpp.inc, and TleOps.md where MLIR generates docs.
      dialect: the dialect's name in the IR, e.g. "tle".
      deps: td_library targets.
      visibility: of the targets.
    """
    stem = td_file[:-len(".td")]
    outs = {}
    for suffix, opts in _KINDS[kind].items():
        needs_dialect = kind in ["dialect", "ops"]
        flags = [] if kind.endswith("interfaces") or kind == "enums" else [("-dialect=" if needs_dialect else "-%s-dialect=" % {"attributes": "attrdefs", "types": "typedefs"}[kind]) + dialect]
        outs[stem + suffix] = opts + ([] if kind == "ops" else flags)
    gentbl_cc(
        name = kind + "_inc_gen",
        td_file = td_file,
        outs = outs,
        deps = deps,
        visibility = visibility,
    )
    if kind in _DOCS:
        gentbl(
            name = kind + "_doc",
            td_file = td_file,
            opts = [_DOCS[kind]] + (["-dialect=" + dialect] if kind in ["dialect", "ops"] else []),
            out = stem + ".md",
            deps = deps,
            visibility = visibility,
        )
