"""bfloat16, which NumPy does not have: the interpreter keeps the 16 bits of a value in a uint16."""
from __future__ import annotations

import numpy as np


def widen(bits: np.ndarray) -> np.ndarray:
    """uint16 bit patterns to the float32 values they stand for (exact)."""
    return (bits.astype(np.uint32) << np.uint32(16)).view(np.float32)


def narrow(values: np.ndarray) -> np.ndarray:
    """float32 values to uint16 bit patterns, rounded to nearest even as the device does; a NaN stays a NaN."""
    bits = np.ascontiguousarray(values, dtype=np.float32).view(np.uint32)
    rounded = bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))
    quiet_nan = bits | np.uint32(0x00400000)
    return (np.where(np.isnan(values), quiet_nan, rounded) >> np.uint32(16)).astype(np.uint16).reshape(values.shape)
