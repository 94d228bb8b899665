# SPDX-License-Identifier: Apache-2.0
"""Least-squares curve fits, with their R^2."""
import math


def solve(matrix, right):
    """Gaussian elimination with pivoting; None if there is no unique solution."""
    n = len(right)
    rows = [[*m, r] for m, r in zip(matrix, right)]
    for i in range(n):
        best = max(range(i, n), key=lambda k: abs(rows[k][i]))
        rows[i], rows[best] = rows[best], rows[i]
        if abs(rows[i][i]) < 1e-12:
            return None
        for k in range(n):
            if k != i:
                f = rows[k][i] / rows[i][i]
                rows[k] = [a - f * b for a, b in zip(rows[k], rows[i])]
    return [rows[i][n] / rows[i][i] for i in range(n)]


def combination(functions):
    """The best linear combination of functions."""

    def fit(points):
        matrix = [[sum(f(x) * g(x) for x, _ in points) for g in functions] for f in functions]
        return solve(matrix, [sum(f(x) * y for x, y in points) for f in functions])

    return fit


def monomials(*exponents):
    return [lambda x, e=e: x**e for e in exponents]


def signed(number):
    return f"{'-' if number < 0 else '+'} {abs(number):.4g}"


def polynomial(degree):
    functions = monomials(*range(degree + 1))

    def make(points):
        factors = combination(functions)(points)
        if factors is None:
            return None
        words = f"{factors[0]:.4g} " + " ".join(
            f"{signed(a)} x" + (f"^{e}" if e > 1 else "") for e, a in enumerate(factors) if e
        )
        return (lambda x: sum(a * f(x) for a, f in zip(factors, functions))), "y = " + words

    return make


def scaled(exponent):
    """y = a x^exponent."""

    def make(points):
        factors = combination(monomials(exponent))(points)
        return factors and ((lambda x: factors[0] * x**exponent), f"y = {factors[0]:.4g} x^{exponent}")

    return make


def fixed(exponent):
    """y = x^exponent: a model without a free parameter."""
    return lambda points: ((lambda x: x**exponent), f"y = x^{exponent}")


def power(points):
    """y = a x^b, fitted in logarithms, so only points above zero count; R^2 is computed on the original points."""
    logs = [(math.log(x), math.log(y)) for x, y in points if x > 0 and y > 0]
    factors = combination(monomials(0, 1))(logs) if len(logs) > 1 else None
    if factors is None:
        return None
    a, b = math.exp(factors[0]), factors[1]
    return (lambda x: a * x**b if x > 0 else 0.0), f"y = {a:.4g} x^{b:.3g}"


FORMS = {
    "linear": polynomial(1),
    "quadratic": polynomial(2),
    "cubic": polynomial(3),
    "a*x": scaled(1),
    "a*x^2": scaled(2),
    "a*x^3": scaled(3),
    "x": fixed(1),
    "x^2": fixed(2),
    "x^3": fixed(3),
    "a*x^b": power,
}


def fit(form, points):
    """(curve, its formula as text, R^2); None if the points do not determine one.  R^2 = 1 - residual / total sum of squares about the mean of y."""
    found = FORMS[form](points) if points else None
    if not found:
        return None
    curve, words = found
    mean = sum(y for _, y in points) / len(points)
    total = sum((y - mean) ** 2 for _, y in points)
    rest = sum((y - curve(x)) ** 2 for x, y in points)
    return (curve, words, 1 - rest / total) if total else None
