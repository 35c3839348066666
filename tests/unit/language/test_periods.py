from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vitrine.language.numbers import Unreadable
from vitrine.language.periods import (
    MONTHS,
    SEASONS,
    UNITS,
    WEEKDAYS,
    Period,
    bounds,
    instants,
    normalise_period,
    resolve_period,
)

TODAY = date(2026, 11, 30)
DATES = st.dates(date(1900, 1, 1), date(2200, 1, 1))
NAMES = st.one_of(
    st.sampled_from(
        [
            *("today", "yesterday", "tomorrow", "q3", "monday", "may_12"),
            *("day_1", "day_31", "this_month_12", "next_month_1", "last_month_28"),
            *(f"{day}_{w}_week" for day in WEEKDAYS for w in ("last", "this", "next")),
            *(f"{w}_{n}" for w in ("last", "this", "next") for n in (*UNITS, *SEASONS)),
            *(f"{w}_{n}" for w in ("last", "next") for n in (*MONTHS, *WEEKDAYS)),
            *("winter_2023", "2024", "2024-02", "2024-Q4", "2024-W52", "1990s"),
        ]
    ),
    st.builds(
        "{}_{}_{}".format,
        st.sampled_from(["last", "next"]),
        st.integers(1, 400),
        st.sampled_from(["days", "weeks", "months", "quarters", "years"]),
    ),
)


def period(start: str, end: str) -> Period:
    return Period(date.fromisoformat(start), date.fromisoformat(end))


@given(NAMES, DATES, st.sampled_from(["north", "south"]), st.integers(0, 6))
def test_d01_a_period_starts_before_it_ends(
    name: str, today: date, hemisphere: str, first_weekday: int
) -> None:
    found = resolve_period(
        name,
        today,
        hemisphere="south" if hemisphere == "south" else "north",
        first_weekday=first_weekday,
    )

    assert found.start is not None
    assert found.end is not None
    assert found.start < found.end


@pytest.mark.parametrize(
    ("start", "end", "name", "today"),
    [
        ("2025-12-01", "2026-03-01", "last_winter", "2026-11-30"),
        ("2024-12-01", "2025-03-01", "last_winter", "2026-01-15"),
        ("2025-12-01", "2026-03-01", "this_winter", "2026-01-15"),
        ("2023-12-01", "2024-03-01", "winter_2023", "2026-01-15"),
        ("2026-03-01", "2026-06-01", "last_spring", "2026-11-30"),
        ("2025-03-01", "2025-06-01", "last_spring", "2026-04-10"),
        ("2026-09-01", "2026-12-01", "this_autumn", "2026-11-30"),
    ],
)
def test_d01_a_season_is_whole_and_may_span_the_new_year(
    start: str, end: str, name: str, today: str
) -> None:
    assert period(start, end) == resolve_period(name, date.fromisoformat(today))


def test_d01_the_southern_hemisphere_has_its_summer_over_the_new_year() -> None:
    found = resolve_period("last_summer", date(2026, 4, 10), hemisphere="south")

    assert period("2025-12-01", "2026-03-01") == found


def test_d02_last_month_is_the_calendar_month_and_30_days_roll() -> None:
    assert period("2026-10-01", "2026-11-01") == resolve_period("last_month", TODAY)
    assert period("2026-11-01", "2026-12-01") == resolve_period("last_30_days", TODAY)


@given(DATES)
def test_d03_last_month_holds_no_day_of_this_month(today: date) -> None:
    found = resolve_period("last_month", today)

    assert today.replace(day=1) == found.end
    assert today.replace(day=1) not in found


@pytest.mark.parametrize(
    ("start", "end", "name"),
    [
        ("2026-11-29", "2026-11-30", "yesterday"),
        ("2026-12-07", "2026-12-14", "next_week"),
        ("2026-11-28", "2026-11-29", "last_saturday"),
        ("2026-07-01", "2026-10-01", "last_quarter"),
        ("2026-07-01", "2027-01-01", "this_half"),
        ("2025-01-01", "2026-01-01", "last_year"),
        ("2026-09-01", "2026-12-01", "last_3_months"),
        ("2026-11-30", "2026-12-07", "next_7_days"),
        ("2026-11-09", "2026-11-16", "3_weeks_ago"),
        ("2026-12-01", "2027-01-01", "december"),
        ("2026-05-12", "2026-05-13", "may_12"),
        ("2024-07-01", "2024-10-01", "2024-Q3"),
        ("2024-01-29", "2024-02-05", "2024-W05"),
        ("2024-02-01", "2024-03-01", "2024-02"),
        ("2024-02-29", "2024-03-01", "2024-02-29"),
        ("1990-01-01", "2000-01-01", "1990s"),
        ("1801-01-01", "1901-01-01", "century_19"),
        ("2019-01-01", "2022-01-01", "2019..2021"),
        ("2026-03-01", "2026-07-01", "march..june"),
        ("2025-11-01", "2026-03-01", "november..february"),
    ],
)
def test_names_resolve_on_the_calendar(start: str, end: str, name: str) -> None:
    assert period(start, end) == resolve_period(name, TODAY)


def test_a_week_may_start_on_sunday() -> None:
    found = resolve_period("this_week", TODAY, first_weekday=6)

    assert period("2026-11-29", "2026-12-06") == found


@pytest.mark.parametrize(
    ("start", "end", "name"),
    [
        (date(2024, 2, 1), None, "since 2024-02"),
        (date(2025, 12, 1), None, "since december"),
        (date(1966, 1, 1), None, "after 1965"),
        (None, date(2024, 1, 1), "before 2024"),
        (None, date(2025, 1, 1), "until 2024"),
    ],
)
def test_a_bound_leaves_the_other_side_open(
    start: date | None, end: date | None, name: str
) -> None:
    assert Period(start, end) == resolve_period(name, TODAY)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("last_spring", "Last Spring"),
        ("autumn_2023", "FALL 2023"),
        ("last_30_days", "past-30-days"),
        ("last_1_months", "last_1_month"),
        ("since 2024-02", "since_2024-02"),
        ("2024-Q3", "2024-q3"),
        (None, "soon"),
        (None, "2024.."),
        (None, "last_0_days"),
    ],
)
def test_spellings_of_a_name_become_canonical(name: str | None, text: str) -> None:
    assert name == normalise_period(text)


@given(NAMES)
def test_a_canonical_name_is_its_own_canonical_form(name: str) -> None:
    assert name == normalise_period(name)


@pytest.mark.parametrize(
    "name",
    ["soon", "2024-13", "2023-02-29", "2021..2019", "2024-W60", "9999", "", "2024-H3"],
)
def test_what_is_not_in_the_calendar_is_refused(name: str) -> None:
    with pytest.raises(Unreadable):
        resolve_period(name, TODAY)


def test_a_name_parts_into_bound_and_atoms() -> None:
    assert bounds("2019..2021") == ("between", "2019", "2021")
    assert bounds("since march") == ("since", "march", "")
    assert bounds("last_month") == ("in", "last_month", "")


@pytest.mark.parametrize(
    ("start", "end", "day", "zone"),
    [
        ("2024-03-30T23:00", "2024-03-31T22:00", "2024-03-31", "Europe/Paris"),
        ("2024-10-26T22:00", "2024-10-27T23:00", "2024-10-27", "Europe/Paris"),
        ("2018-11-04T03:00", "2018-11-05T02:00", "2018-11-04", "America/Sao_Paulo"),
        ("2024-06-01T00:00", "2024-06-02T00:00", "2024-06-01", "UTC"),
    ],
)
def test_a_day_lasts_from_midnight_to_midnight_of_its_zone(
    start: str, end: str, day: str, zone: str
) -> None:
    expected = tuple(
        datetime.fromisoformat(text).replace(tzinfo=UTC) for text in (start, end)
    )

    assert expected == instants(resolve_period(day, TODAY), zone)


def test_an_unknown_zone_is_refused() -> None:
    with pytest.raises(Unreadable):
        instants(resolve_period("today", TODAY), "Mars/Olympus")


def test_an_open_period_has_one_instant() -> None:
    assert instants(Period(None, None), "UTC") == (None, None)


@pytest.mark.parametrize(
    ("day", "name", "today"),
    [
        ("2026-12-12", "day_12", TODAY),
        ("2026-11-30", "day_30", TODAY),
        ("2026-12-31", "day_31", TODAY),
        ("2026-07-31", "day_31", date(2026, 6, 2)),
        ("2026-12-12", "next_month_12", TODAY),
        ("2026-11-12", "this_month_12", TODAY),
        ("2026-12-11", "friday_next_week", TODAY),
        ("2026-12-04", "friday_this_week", TODAY),
    ],
)
def test_a_day_without_its_month_is_the_next_one(
    day: str, name: str, today: date
) -> None:
    assert date.fromisoformat(day) == resolve_period(name, today).start


def test_a_bound_on_a_day_without_its_month_looks_back() -> None:
    since = resolve_period("since day_12", TODAY)

    assert date(2026, 11, 12) == since.start


def test_a_day_that_the_month_lacks_is_refused() -> None:
    with pytest.raises(Unreadable):
        resolve_period("this_month_31", TODAY)
