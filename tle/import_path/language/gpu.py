"""Import path of TLE's users: this module is `flagtree.language.gpu`."""
import sys

from flagtree.language import gpu

sys.modules[__name__] = gpu
