"""What a benchmark says: one figure a line, ours beside theirs.

A ratio above 1 is in our favour, whether the figure is a rate (more is better) or a time, a size or
memory (less is better).
"""

import dataclasses
import enum
import statistics
from typing import Optional


class Better(enum.Enum):
    """Which way of a figure is good."""

    MORE = "more"
    LESS = "less"


@dataclasses.dataclass(frozen=True)
class Figure:
    """One measure of one data set against one peer."""

    measure: str
    data: str
    peer: str
    ours: float
    theirs: float
    unit: str
    ratio: float
    case: str = ""
    # The lowest and the highest ratio among repetitions, or among what was averaged.
    spread: Optional[tuple[float, float]] = None
    # Of the repetitions; ours and theirs are the best ones.
    ours_median: Optional[float] = None
    theirs_median: Optional[float] = None

    def to_json(self) -> dict:
        """As --json prints it: the seven fixed keys first, the others when they are known."""
        fixed = ("measure", "data", "peer", "ours", "theirs", "unit", "ratio")
        document = {name: getattr(self, name) for name in fixed}
        for name in ("case", "spread", "ours_median", "theirs_median"):
            if getattr(self, name):
                document[name] = getattr(self, name)
        return {name: _rounded(value) for name, value in document.items()}


def _rounded(value: object) -> object:
    if isinstance(value, float):
        return float(f"{value:.5g}")
    if isinstance(value, tuple):
        return [_rounded(part) for part in value]
    return value


def ratio_of(ours: float, theirs: float, better: Better) -> float:
    """How many times as good ours is."""
    above, below = (ours, theirs) if better is Better.MORE else (theirs, ours)
    if below == 0:
        return 1.0 if above == 0 else float("inf")
    return above / below


def of_sizes(measure: str, data: str, peer: str, ours: float, theirs: float, **more) -> Figure:
    """A figure of which less is better and that needs no repetition."""
    ratio = ratio_of(ours, theirs, Better.LESS)
    return Figure(measure, data, peer, ours, theirs, ratio=ratio, **more)


def of_rates(
    measure: str,
    data: str,
    peer: str,
    seconds: tuple[list[float], list[float]],
    amount: float,
    **more,
) -> Figure:
    """A rate from the seconds of repetitions, ours and theirs, that took turns."""
    ours, theirs = seconds
    return Figure(
        measure,
        data,
        peer,
        amount / min(ours),
        amount / min(theirs),
        ratio=min(theirs) / min(ours),
        spread=_spread([b / a for a, b in zip(ours, theirs, strict=True)]),
        ours_median=amount / statistics.median(ours),
        theirs_median=amount / statistics.median(theirs),
        **more,
    )


def of_latencies(
    measure: str, data: str, peer: str, pairs: list[tuple[float, float]], **more
) -> Figure:
    """A mean of milliseconds over kinds of queries, from pairs of seconds: ours, theirs."""
    ours = 1e3 * statistics.mean(pair[0] for pair in pairs)
    theirs = 1e3 * statistics.mean(pair[1] for pair in pairs)
    spread = _spread([pair[1] / pair[0] for pair in pairs])
    ratio = ratio_of(ours, theirs, Better.LESS)
    return Figure(
        measure, data, peer, ours, theirs, unit="ms", ratio=ratio, spread=spread, **more
    )


def _spread(ratios: list[float]) -> tuple[float, float]:
    return min(ratios), max(ratios)


def number(value: float) -> str:
    """For people: three digits that matter, thousands apart."""
    if value >= 1000 or value == int(value):
        return f"{value:,.0f}"
    return f"{value:.3g}"


def as_text(figure: Figure) -> str:
    """One line for a terminal."""
    name = figure.measure + (f" {figure.case}" if figure.case else "")
    spread = f" ({figure.spread[0]:.2f} to {figure.spread[1]:.2f})" if figure.spread else ""
    return (
        f"{figure.data:9} {name:32} {number(figure.ours):>10} against {number(figure.theirs):>10}"
        f" {figure.unit:6} of {figure.peer:8} {figure.ratio:6.2f}x{spread}"
    )
