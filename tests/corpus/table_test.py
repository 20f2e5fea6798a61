"""The corpus is as large and as varied as it has to be."""
from __future__ import annotations

from tests.corpus import table
from tests.corpus.features import features
from tests.corpus.packages import PACKAGES

WANTED_KERNELS = 150
# Stock make_ttir rewrites block pointers, so no TTIR shows them.
WANTED_FEATURES = {
    "atomic", "call", "descriptor", "dot", "early return", "external function", "for", "if", "inline assembly", "reduce", "scan", "while",
}


def test_rows_are_distinct_kernels_of_known_packages() -> None:
    rows = table.load_all()
    assert len({row.id for row in rows}) == len(rows) >= WANTED_KERNELS
    assert {row.package for row in rows} <= set(PACKAGES)


def test_every_feature_is_there() -> None:
    assert {feature for row in table.load_all() for feature in row.features} >= WANTED_FEATURES


def test_features_are_seen_in_the_text() -> None:
    assert features('%0 = "tt.dot"(%1, %2, %3) : ...\n"cf.cond_br"(%4)[^bb1, ^bb2]') == ["dot", "early return"]
    assert features('"tt.return"() : () -> ()') == []
