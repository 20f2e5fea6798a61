"""Rules about values that are known when a kernel runs: those of the front end that such values can break, too, L10 to L12, and how to call the
simulator, U12 and U13."""
from __future__ import annotations

from flagtree.errors import TLEError


class GlobalAccessError(TLEError):
    rule = "L10"
    template = ("{count} active lane(s) of an access to global memory are outside of every tensor of the launch, the first of them is lane {lane}: "
                "{where}. Mask the lanes beyond the edge, and check offsets and strides.")


class ByteOrderError(TLEError):
    rule = "L11"
    template = ("a kernel cannot take a NumPy array of dtype {dtype}, whose bytes are in the other order than this machine's. "
                "Give it array.astype(array.dtype.newbyteorder('=')).")


class ScalarArgumentError(TLEError, TypeError):
    rule = "L12"
    template = ("a kernel cannot take {got} as {name}, which is a number of NumPy. "
                "Give it {name}.item(), Python's number.")


class NotAKernelError(TLEError, TypeError):
    rule = "U12"
    template = "flagtree.{function} takes {wanted}, but got {got}. {advice}"


class SchedulesError(TLEError, ValueError):
    rule = "U13"
    template = ("schedules of flagtree.check must be a positive integer, but is {got}. "
                "It is the most schedules to run; leave it out for a few.")


class SharedAccessError(TLEError):
    rule = "L8"
    template = ("{count} active lane(s) of a shared-memory access are out of bounds, the first of them is lane {lane}: {where}. "
                "Allowed are indices from 0 to the dimension minus one; mask the other lanes off.")
