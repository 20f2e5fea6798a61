"""What a failure of stock Triton's passes says to the user: the line of the kernel and one sentence."""
from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from typing import Any

from . import replay
from .errors import StockPassError

# The text of the binding, which says no more than this.
_FAILED = "PassManager::run failed"
_ERROR = re.compile(r'^(?:"?(?P<file>[^":\n]+)"?:(?P<line>\d+):\d+: )?error: (?P<message>.*)$', re.MULTILINE)
_PLACE = re.compile(r'loc\("(?P<file>[^"]+)":(?P<line>\d+):\d+')


@contextlib.contextmanager
def explained(stage: str, text: str, options: Any, capability: int) -> Iterator[None]:
    """Turn the failure of a stage of Triton on the module in `text` into a StockPassError (I15)."""
    try:
        yield
    except RuntimeError as error:
        if _FAILED not in str(error):
            raise
        file = replay.save(text, stage, capability, options)
        said = _ERROR.search(replay.run_apart(file))
        message = said["message"] if said else "they do not say why"
        place = said if said and said["file"] else _PLACE.search(text)
        raise StockPassError(place["file"] if place else "", int(place["line"]) if place else 0, stage=stage, message=message,
                             reproducer=file) from None
