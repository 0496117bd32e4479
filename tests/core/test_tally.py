from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hostgate.core.tally import tally


def record(project: str = "/p", outcome: str = "ran", **more: object) -> dict[str, object]:
    return {"project": project, "outcome": outcome, "waited": 1.5, "ran": 2.0, **more}


def test_runs_conflicts_and_times_are_added_up_by_project_and_rule() -> None:
    both = {"a": "both-builds: make, swift (build)", "b": "both-builds: make", "c": "lane: x"}
    projects, rules = tally(
        [
            record(),
            record(blockers=both),
            record("/q", blockers={"d": "identical: make"}, override=True),
            record("/q", "left", ran=0, blockers={"d": "identical: make"}),
            record("/q", "lapsed", ran=0),
        ]
    )
    assert [one.plain() for one in projects] == [
        {"name": "/q", "runs": 1, "conflicts": 2, "anyway": 1, "waited": 4.5, "ran": 2.0},
        {"name": "/p", "runs": 2, "conflicts": 1, "anyway": 0, "waited": 3.0, "ran": 4.0},
    ]
    assert [(one.name, one.conflicts, one.anyway) for one in rules] == [
        ("identical", 2, 1),
        ("both-builds", 1, 0),
        ("lane", 1, 0),
    ]


@given(
    st.lists(
        st.fixed_dictionaries(
            {},
            optional={
                "project": st.none() | st.text(max_size=3),
                "outcome": st.none() | st.sampled_from(["ran", "left", "x"]),
                "blockers": st.none() | st.dictionaries(st.text(max_size=2), st.text(max_size=4)),
                "override": st.none() | st.booleans(),
                "waited": st.none() | st.floats(0, 9) | st.text(max_size=2),
            },
        ),
        max_size=6,
    )
)
def test_whatever_stands_in_the_history_is_counted_once_in_a_project(
    records: list[dict[str, object]],
) -> None:
    projects, _ = tally(records)
    assert sum(one.conflicts for one in projects) == sum(bool(r.get("blockers")) for r in records)
    assert sum(one.anyway for one in projects) == sum(r.get("override") is True for r in records)


def test_what_never_ran_or_goes_on_adds_no_time_and_no_second_conflict() -> None:
    def line(outcome: str) -> dict[str, object]:
        blockers = {"a": "identical"}
        return {"project": "/p", "outcome": outcome, "ran": 5.0, "blockers": blockers}

    outcomes = ("left", "lapsed", "taken-over", "ran", "indeterminate")
    projects, rules = tally([line(outcome) for outcome in outcomes])
    for sums in (projects, rules):
        (one,) = sums
        assert (one.runs, one.conflicts, one.ran) == (2, 3, 10.0)
