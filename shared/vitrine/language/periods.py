"""Named periods: language names them, this module does the calendar.

Periods are half-open, ``[start, end)``. Calendar names (``last_month``) mean the
calendar's unit; only ``last_30_days`` rolls, and it ends with today. Seasons are
meteorological ones, whole months as the Met Office and NOAA count them: northern
spring is March to May. A season that spans the new year bears the year in which
it begins: ``winter_2023`` is December 2023 to February 2024.

Names: ``today`` ``yesterday`` ``tomorrow`` · ``last_`` ``this_`` ``next_`` +
``week`` ``weekend`` ``month`` ``quarter`` ``half`` ``year``, a season, a month or a
weekday · ``last_30_days`` ``next_2_weeks`` ``3_days_ago`` · ``spring_2024`` ·
``december`` ``may_12`` ``q3`` (of today's year) · ``day_12`` (from today on) ·
``this_month_12`` ``friday_next_week`` ·
``monday`` (from today on) · ``2024`` ``2024-02`` ``2024-02-11``
``2024-Q3`` ``2024-H1`` ``2024-W05`` ``1990s`` ``century_19`` · ``since X`` ``after X``
``before X`` ``until X`` ``X..Y``.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from typing import Final, Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from vitrine.language.numbers import Unreadable

__all__ = [
    "MONTHS",
    "SEASONS",
    "UNITS",
    "WEEKDAYS",
    "Period",
    "bounds",
    "instants",
    "normalise_period",
    "resolve_period",
]

Hemisphere = Literal["north", "south"]

MONTHS: Final = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)
WEEKDAYS: Final = (
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
)
SEASONS: Final = ("spring", "summer", "autumn", "winter")
UNITS: Final = ("week", "weekend", "month", "quarter", "half", "year")
_BOUNDS: Final = ("since", "after", "before", "until")
_STEPS: Final = {"months": 1, "quarters": 3, "years": 12}
_ALIASES: Final = {
    "fall": "autumn",
    "past": "last",
    "previous": "last",
    "current": "this",
    "coming": "next",
    "upcoming": "next",
}
_DAY: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Period:
    """Days from ``start`` up to but not including ``end``; None is unbounded."""

    start: date | None
    end: date | None

    def __contains__(self, day: date) -> bool:
        """Tell whether a day lies in the period."""
        after = self.start is None or self.start <= day
        return after and (self.end is None or day < self.end)


@dataclass(frozen=True, slots=True)
class _Calendar:
    """What a name is resolved against."""

    today: date
    hemisphere: Hemisphere
    first_weekday: int
    past: bool = False  # a bare month is the last one begun, not this year's


def resolve_period(
    name: str,
    today: date,
    *,
    hemisphere: Hemisphere = "north",
    first_weekday: int = 0,
) -> Period:
    """Return the days that a canonical name means on a given day.

    ``first_weekday`` is 0 for Monday, 6 for Sunday. Raises Unreadable for an
    unknown name, an impossible date, or a range that ends before it starts.
    """
    canonical = normalise_period(name)
    if canonical is None:
        raise Unreadable(f'"{name[:60]}" is not a period: use last_month or 2024-Q3.')
    calendar = _Calendar(today, hemisphere, first_weekday)
    try:
        return _resolved(canonical, calendar)
    except (ValueError, OverflowError) as error:
        raise Unreadable(f'"{name[:60]}" is not in the calendar.') from error


def bounds(name: str) -> tuple[str, str, str]:
    """Part a canonical name into its bound, first and second atom.

    The bound is ``in``, ``since``, ``after``, ``before``, ``until`` or
    ``between``; the second atom is empty except for ``between``.
    """
    first, dots, second = name.partition("..")
    if dots:
        return "between", first, second
    bound, space, atom = name.partition(" ")
    return (bound, atom, "") if space else ("in", name, "")


def _resolved(name: str, calendar: _Calendar) -> Period:
    bound, first, second = bounds(name)
    past = _Calendar(
        calendar.today, calendar.hemisphere, calendar.first_weekday, past=True
    )
    if bound == "between":
        return _range(first, second, calendar)
    period = _atom(first, past if bound in {"since", "after"} else calendar)
    return {
        "in": period,
        "since": Period(period.start, None),
        "after": Period(period.end, None),
        "before": Period(None, period.start),
        "until": Period(None, period.end),
    }[bound]


def _range(first: str, second: str, calendar: _Calendar) -> Period:
    start, end = _atom(first, calendar).start, _atom(second, calendar).end
    if start and end and start >= end and _yearless(first) and _yearless(second):
        start = _months(start, -12)  # November to February
    if start is None or end is None or start >= end:
        raise Unreadable(f"{first} does not come before {second}.")
    return Period(start, end)


def _yearless(atom: str) -> bool:
    return atom.partition("_")[0] in {*MONTHS, "q1", "q2", "q3", "q4"}


def _atom(name: str, calendar: _Calendar) -> Period:
    for pattern, read in _readers():
        if match := pattern.fullmatch(name):
            start, end = read(match, calendar)
            return Period(start, end)
    raise Unreadable(f"{name} is not a period.")


Days = tuple[date, date]


def _months(day: date, count: int) -> date:
    """Return the same day some months on, cut to the month's last day."""
    index = day.year * 12 + day.month - 1 + count
    first = date(index // 12, index % 12 + 1, 1)
    following = date((index + 1) // 12, (index + 1) % 12 + 1, 1)
    return min(first + timedelta(days=day.day - 1), following - _DAY)


def _block(start: date, months: int) -> Days:
    return start, _months(start, months)


def _single(day: date) -> Days:
    return day, day + _DAY


def _named_day(match: re.Match[str], calendar: _Calendar) -> Days:
    shift = {"yesterday": -1, "today": 0, "tomorrow": 1}[match[0]]
    return _single(calendar.today + shift * _DAY)


_SHIFT: Final = {"last": -1, "this": 0, "next": 1}


def _unit(match: re.Match[str], calendar: _Calendar) -> Days:
    shift, unit, today = _SHIFT[match[1]], match[2], calendar.today
    if unit in {"week", "weekend"}:
        return _week(shift, unit, calendar)
    size = {"month": 1, "quarter": 3, "half": 6, "year": 12}[unit]
    first = date(today.year, (today.month - 1) // size * size + 1, 1)
    return _block(_months(first, shift * size), size)


def _week(shift: int, unit: str, calendar: _Calendar) -> Days:
    first = 0 if unit == "weekend" else calendar.first_weekday
    back = (calendar.today.weekday() - first) % 7
    monday = calendar.today + (7 * shift - back) * _DAY
    if unit == "weekend":
        return monday + 5 * _DAY, monday + 7 * _DAY
    return monday, monday + 7 * _DAY


def _season(match: re.Match[str], calendar: _Calendar) -> Days:
    """Find the last complete season, the present one or the next to begin."""
    today = calendar.today
    years = range(max(today.year - 2, 1), today.year + 2)
    all_of_it = [_season_days(match[2], year, calendar) for year in years]
    if match[1] == "last":
        return [days for days in all_of_it if days[1] <= today][-1]
    if match[1] == "next":
        return next(days for days in all_of_it if days[0] > today)
    now = [days for days in all_of_it if days[0] <= today < days[1]]
    return now[0] if now else _season_days(match[2], today.year, calendar)


def _season_days(season: str, year: int, calendar: _Calendar) -> Days:
    turned = 2 if calendar.hemisphere == "south" else 0
    month = 3 + 3 * ((SEASONS.index(season) + turned) % 4)
    return _block(date(year, month, 1), 3)


def _season_year(match: re.Match[str], calendar: _Calendar) -> Days:
    return _season_days(match[1], int(match[2]), calendar)


def _month_named(match: re.Match[str], calendar: _Calendar) -> Days:
    today, month = calendar.today, MONTHS.index(match[2]) + 1
    days = _block(date(today.year, month, 1), 1)
    if match[1] == "last" and days[1] > today:
        return _block(date(today.year - 1, month, 1), 1)
    if match[1] == "next" and days[0] <= today:
        return _block(date(today.year + 1, month, 1), 1)
    return days


def _weekday(match: re.Match[str], calendar: _Calendar) -> Days:
    ahead = (WEEKDAYS.index(match[2]) - calendar.today.weekday()) % 7
    if match[1] == "next":
        return _single(calendar.today + (ahead or 7) * _DAY)
    return _single(calendar.today + (ahead - 7) * _DAY)


def _coming(match: re.Match[str], calendar: _Calendar) -> Days:
    """Return the weekday from today on, or the one just past after ``since``."""
    today = calendar.today.weekday()
    ahead = (WEEKDAYS.index(match[0]) - today) % 7
    return _single(calendar.today + (ahead - 7 * (calendar.past and ahead > 0)) * _DAY)


def _day_number(match: re.Match[str], calendar: _Calendar) -> Days:
    """Return the next such day of a month, or the one just past after ``since``."""
    day, today = int(match[1]), calendar.today
    first = today.replace(day=1)
    # a month too short for the day is stepped over: no 31st falls in June
    months = (
        _months(first, shift) for shift in ((0, -1, -2) if calendar.past else _ON)
    )
    days = (month + (day - 1) * _DAY for month in months)
    fits = (one for one in days if one.day == day)
    return _single(
        next(one for one in fits if (one <= today if calendar.past else one >= today))
    )


_ON: Final = (0, 1, 2)


def _day_of_month(match: re.Match[str], calendar: _Calendar) -> Days:
    first = _months(calendar.today.replace(day=1), _SHIFT[match[1]])
    return _single(first.replace(day=int(match[2])))


def _day_of_week(match: re.Match[str], calendar: _Calendar) -> Days:
    """Return a weekday of this week or of another; weeks begin where they do here."""
    start, _ = _week(_SHIFT[match[2]], "week", calendar)
    ahead = (WEEKDAYS.index(match[1]) - start.weekday()) % 7
    return _single(start + ahead * _DAY)


def _rolling(match: re.Match[str], calendar: _Calendar) -> Days:
    """Count whole units up to the end of today, or on from its beginning."""
    tomorrow = calendar.today + _DAY
    if match[1] == "last":
        return _moved(tomorrow, -int(match[2]), match[3]), tomorrow
    return calendar.today, _moved(calendar.today, int(match[2]), match[3])


def _moved(day: date, count: int, span: str) -> date:
    if span in _STEPS:
        return _months(day, count * _STEPS[span])
    return day + timedelta(days=count * (7 if span == "weeks" else 1))


def _ago(match: re.Match[str], calendar: _Calendar) -> Days:
    """Return the day, week, month, quarter or year that lies so far back."""
    then = _moved(calendar.today, -int(match[1]), match[2])
    if match[2] == "days":
        return _single(then)
    back = _Calendar(then, calendar.hemisphere, calendar.first_weekday)
    return _block_of(match[2].removesuffix("s"), back)


def _block_of(unit: str, calendar: _Calendar) -> Days:
    period = _atom(f"this_{unit}", calendar)
    if period.start is None or period.end is None:
        raise Unreadable(f"this_{unit} has no end.")
    return period.start, period.end


def _bare(days: Callable[[int], Days], calendar: _Calendar) -> Days:
    """Take today's year, or the year before where only the past makes sense."""
    this = days(calendar.today.year)
    late = calendar.past and this[0] > calendar.today
    return days(calendar.today.year - 1) if late else this


def _month(match: re.Match[str], calendar: _Calendar) -> Days:
    month = MONTHS.index(match[1]) + 1
    day = int(match[2]) if match[2] else None
    if day:
        return _bare(lambda year: _single(date(year, month, day)), calendar)
    return _bare(lambda year: _block(date(year, month, 1), 1), calendar)


def _quarter(match: re.Match[str], calendar: _Calendar) -> Days:
    month = 3 * int(match[1]) - 2
    return _bare(lambda year: _block(date(year, month, 1), 3), calendar)


def _part(match: re.Match[str], _: _Calendar) -> Days:
    size = 3 if match[2] == "Q" else 6
    month = size * (int(match[3]) - 1) + 1
    return _block(date(int(match[1]), month, 1), size)


def _iso_week(match: re.Match[str], _: _Calendar) -> Days:
    monday = date.fromisocalendar(int(match[1]), int(match[2]), 1)
    return monday, monday + 7 * _DAY


def _iso(match: re.Match[str], _: _Calendar) -> Days:
    year, month, day = (int(part) if part else 0 for part in match.groups())
    if day:
        return _single(date(year, month, day))
    return _block(date(year, month or 1, 1), 1 if month else 12)


def _decade(match: re.Match[str], _: _Calendar) -> Days:
    return _block(date(int(match[1]), 1, 1), 120)


def _century(match: re.Match[str], _: _Calendar) -> Days:
    """Return the years 1801 to 1900 for the nineteenth."""
    return _block(date(100 * int(match[1]) - 99, 1, 1), 1200)


Reader = Callable[[re.Match[str], _Calendar], Days]


@cache
def _readers() -> list[tuple[re.Pattern[str], Reader]]:
    """Pair each form of an atom with what reads it."""
    which, count = "(last|this|next)", r"([1-9]\d{0,3})"
    span = "(days|weeks|months|quarters|years)"
    seasons, months = "|".join(SEASONS), "|".join(MONTHS)
    forms: list[tuple[str, Reader]] = [
        ("today|yesterday|tomorrow", _named_day),
        (rf"{which}_({'|'.join(UNITS)})", _unit),
        (rf"{which}_({seasons})", _season),
        (rf"{which}_({months})", _month_named),
        (rf"(last|next)_({'|'.join(WEEKDAYS)})", _weekday),
        ("|".join(WEEKDAYS), _coming),
        (rf"({'|'.join(WEEKDAYS)})_{which}_week", _day_of_week),
        (r"day_([1-9]|[12]\d|3[01])", _day_number),
        (rf"{which}_month_([1-9]|[12]\d|3[01])", _day_of_month),
        (rf"(last|next)_{count}_{span}", _rolling),
        (rf"{count}_{span}_ago", _ago),
        (rf"({seasons})_(\d{{4}})", _season_year),
        (rf"({months})(?:_(\d\d?))?", _month),
        (r"q([1-4])", _quarter),
        (r"(\d{4})-(Q|H)([1-4])", _part),
        (r"(\d{4})-W(\d\d)", _iso_week),
        (r"(\d{4})(?:-(\d\d)(?:-(\d\d))?)?", _iso),
        (r"(\d{3}0)s", _decade),
        (r"century_(\d\d?)", _century),
    ]
    return [(re.compile(form), read) for form, read in forms]


def normalise_period(text: str) -> str | None:
    """Return the canonical name that a text spells, None where it is none.

    Takes spaces, hyphens and capitals as they come: ``Last Spring``,
    ``past-30-days``, ``since_2024-02``. Reads no language; see ``phrases``.
    """
    plain = re.sub(r"[\s_]+", "_", text.strip().lower())
    first, dots, second = plain.partition("..")
    if dots:
        atoms = _canonical(first.strip("_")), _canonical(second.strip("_"))
        return f"{atoms[0]}..{atoms[1]}" if all(atoms) else None
    bound, _, rest = plain.partition("_")
    if bound not in _BOUNDS:
        return _canonical(plain)
    atom = _canonical(rest)
    return f"{bound} {atom}" if atom else None


def _canonical(plain: str) -> str | None:
    if not re.match(r"\d{4}-", plain):
        plain = plain.replace("-", "_")
    known = "_".join(_ALIASES.get(word, word) for word in plain.split("_"))
    known = re.sub(r"^(last|next)_(day|week|month|quarter|year)$", r"\1_\2", known)
    known = re.sub(r"_1_(day|week|month|quarter|year)$", r"_1_\1s", known)
    known = re.sub(r"(?<=^\d{4}-)[qhw]", lambda match: match[0].upper(), known)
    fits = any(pattern.fullmatch(known) for pattern, _ in _readers())
    return known if fits else None


def instants(period: Period, zone: str) -> tuple[datetime | None, datetime | None]:
    """Return a period's bounds as UTC instants: its midnights in a time zone.

    A midnight that a clock change skips is the first instant after it; one that
    comes twice is the earlier. The calendar's first day begins with it, also where
    that is a few hours late. Raises Unreadable for an unknown zone.
    """
    try:
        where = ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise Unreadable(f'"{zone[:60]}" is not a time zone.') from error
    return _midnight(period.start, where), _midnight(period.end, where)


def _midnight(day: date | None, where: ZoneInfo) -> datetime | None:
    if day is None:
        return None
    try:
        return datetime.combine(day, time(), tzinfo=where).astimezone(UTC)
    except OverflowError:  # east of Greenwich, where nothing can lie before
        return datetime.min.replace(tzinfo=UTC)
