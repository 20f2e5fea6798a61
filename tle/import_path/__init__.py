"""Import path of TLE's users; everything lives in package `flagtree`."""
