"""Rules about values that are known when a kernel runs: those of the front end that such values can break, too, L10 to L12, and how to call the
simulator, U12 to U17."""
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


class SeedError(TLEError, ValueError):
    rule = "U14"
    template = ("{got} is no schedule{why}: a seed is an integer of 0 or more, or a text that a report gives, such as 'order:0=3.1,7.2'. "
                "Give the seed of a report to its own kernel and arguments.")


class PageError(TLEError, ValueError):
    rule = "U15"
    template = ("page of flagtree.trace must be the path of a file to write, beside which one with the suffix .json is written too, but {got} {why}. "
                "Give a path in a folder that exists, such as trace.html.")


class GridError(TLEError, TypeError):
    rule = "U16"
    template = ("a grid must be a tuple of one to three integers of 0 or more, or a function of the arguments that gives one, but is {got}. "
                "Launch with kernel[(blocks, )](*args).")


class ParameterNameError(TLEError, TypeError):
    rule = "U17"
    template = ("{name} is neither a parameter of {kernel}({parameters}) nor an option of a launch. "
                "Give arguments the names of the parameters.")


class SharedAccessError(TLEError):
    rule = "L8"
    template = ("{count} active lane(s) of a shared-memory access are out of bounds, the first of them is lane {lane}: {where}. "
                "Allowed are indices from 0 to the dimension minus one; mask the other lanes off.")
