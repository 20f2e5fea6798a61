"""Import path of TLE's users: a re-export of `flagtree.language`."""
from flagtree.language import *  # noqa: F403
from flagtree.language import __all__ as __all__
