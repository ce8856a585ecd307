"""The judge's numbers: 50 digits, by MPFR where gmpy2 is installed, else by mpmath, which is slower. JUDGE_NUMBERS=mpmath asks for that.

exact(v) is the number of a double; + - * / and comparisons are the operators; the functions below are to 50 digits. Both are judged
against each other by test_judge.py.
"""
import os

DIGITS, BITS = 50, 170

try:
    if os.environ.get("JUDGE_NUMBERS", "") == "mpmath":
        raise ImportError
    import gmpy2
except ImportError:
    from mpmath import mp
    mp.dps = DIGITS
    NAME = "mpmath"
    exact, sqrt, exp, log, log1p, power = mp.mpf, mp.sqrt, mp.exp, mp.log, mp.log1p, mp.power
    sin, cos, atan, tanh = mp.sin, mp.cos, mp.atan, mp.tanh
else:
    gmpy2.get_context().precision = BITS
    gmpy2.get_context().emin, gmpy2.get_context().emax = gmpy2.get_emin_min(), gmpy2.get_emax_max()
    NAME = "gmpy2"
    exact, sqrt, exp, log, log1p = gmpy2.mpfr, gmpy2.sqrt, gmpy2.exp, gmpy2.log, gmpy2.log1p
    sin, cos, atan, tanh = gmpy2.sin, gmpy2.cos, gmpy2.atan, gmpy2.tanh

    def power(a, exponent):
        return exact(a) ** exponent


def sign(a):
    return exact((a > 0) - (a < 0))
