from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hostgate import conflicts, may_claim
from hostgate.core.admit import NO_LIMITS, Limits, admit, clear, contends, cycle
from hostgate.core.claims import ACTIVE, KEPT, RESERVED, RUNNING, WAITING, Claim, Owner

OWNER = Owner("host", 100, "1", "")


def claim(
    id: str,
    command: str = "make",
    *,
    state: str = WAITING,
    session: str = "",
    project: str = "/p",
    lanes: list[str] | None = None,
    within: list[str] | None = None,
) -> Claim:
    return Claim(
        id=id,
        state=state,
        session=session or f"s-{id}",
        title=f"title of {id}",
        project=project,
        command=command,
        lanes=lanes,
        within=within,
        owner=OWNER,
        enqueued_at="",
        enqueued=0.0,
    )


def running(id: str, command: str = "make", **more: object) -> Claim:
    return claim(id, command, state=RUNNING, **more)  # type: ignore[arg-type]


def blocked_by(claims: list[Claim], id: str, limits: Limits = NO_LIMITS) -> list[str]:
    return [blocker.claim.id for blocker in admit(claims, limits)[id]]


def test_an_identical_command_is_blocked() -> None:
    claims = [running("a", "./deploy.sh x"), claim("b", "./deploy.sh  X")]
    assert admit(claims)["b"][0].reason == "identical"


def test_the_same_tool_is_blocked() -> None:
    assert admit([running("a", "make all"), claim("b", "make check")])["b"][0].rule == "both-builds"


def test_a_different_toolchain_is_blocked() -> None:
    found = admit([running("a", "swift build"), claim("b", "cargo test")])["b"]
    assert [one.reason for one in found] == ["both-builds: cargo, swift"]


def test_a_near_identical_command_is_blocked() -> None:
    found = admit([running("a", "pytest -x tests"), claim("b", "pytest tests -x -v")])["b"]
    assert found[0].rule == "near-identical"


def test_a_command_that_reads_is_never_blocked_not_even_by_its_twin() -> None:
    assert admit([running("a", "git status"), claim("b", "git status")]) == {"b": []}


@pytest.mark.parametrize("command", ["", "   ", "\n"])
def test_an_empty_command_is_never_blocked(command: str) -> None:
    assert admit([running("a", command), running("c", "make"), claim("b", command)])["b"] == []


def test_a_session_does_not_block_itself() -> None:
    assert admit([running("a", session="s"), claim("b", session="s")])["b"] == []


def test_another_project_does_not_block() -> None:
    assert admit([running("a", project="/p"), claim("b", project="/q")])["b"] == []


def test_several_blocking_sessions_are_all_named() -> None:
    claims = [running("a"), running("b"), claim("c"), claim("d")]
    assert blocked_by(claims, "d") == ["a", "b", "c"]


def test_a_waiter_is_blocked_while_its_twin_runs_and_clear_once_it_is_gone() -> None:
    waiter = claim("b")
    assert blocked_by([running("a"), waiter], "b") == ["a"]
    assert clear([waiter]) == [waiter]


def test_contenders_are_admitted_first_in_first_out() -> None:
    first, second = claim("a"), claim("b")
    assert clear([first, second]) == [first]
    assert blocked_by([first, second], "b") == ["a"]


def test_an_independent_waiter_is_not_held_up() -> None:
    claims = [running("a"), claim("b"), claim("c", "./migrate.sh")]
    assert [one.id for one in clear(claims)] == ["c"]


def test_each_project_has_a_queue_of_its_own() -> None:
    claims = [running("a", project="/p"), claim("b", project="/p"), claim("c", project="/q")]
    assert [one.id for one in clear(claims)] == ["c"]


def test_a_waiter_goes_before_a_fresh_command() -> None:
    assert not may_claim(
        "new", "make", "/p", [], [{"session": "s", "command": "make", "project": "/p"}]
    )


def test_a_kept_place_holds_nobody_up() -> None:
    claims = [claim("a", state=KEPT), claim("b")]
    assert [one.id for one in clear(claims)] == ["b"]


def test_who_is_away_is_passed_over() -> None:
    claims = [claim("a"), claim("b")]
    found = admit(claims, away=lambda one: one.id == "a")
    assert found == {"b": []}


def test_a_lane_is_shared_across_projects_and_within_a_session() -> None:
    claims = [
        running("a", "./x", session="s", project="/p", lanes=["deploy"]),
        claim("b", "./y", session="s", project="/q", lanes=["deploy"]),
        claim("c", "./z", session="t", project="/q", lanes=["other"]),
    ]
    assert [one.rule for one in admit(claims)["b"]] == ["lane"]
    assert [one.id for one in clear(claims)] == ["c"]


def test_a_nested_claim_waits_neither_for_its_ancestor_nor_for_those_behind_it() -> None:
    claims = [running("a", session="s"), claim("n", session="t", within=["a"]), claim("b")]
    assert admit(claims)["n"] == []


def test_a_nested_claim_does_not_wait_for_an_earlier_one_that_waits_for_its_ancestor() -> None:
    claims = [claim("w"), claim("v"), running("a"), claim("n", within=["a"])]
    assert blocked_by(claims, "n") == []


def test_a_nested_claim_does_not_wait_for_what_its_ancestor_overlaps_already() -> None:
    claims = [running("a"), running("b"), claim("n", within=["a"]), claim("c")]
    assert blocked_by(claims, "n") == []
    assert blocked_by(claims, "c") == ["a", "b", "n"]


def test_many_nested_claims_are_decided_in_reasonable_time() -> None:
    holder = running("holder", "make")
    parents = [running(f"p{at}", f"./ci.{at}", project="/p") for at in range(40)]
    nested = [claim(f"n{at}", "make q", session=f"t{at}", within=[f"p{at}"]) for at in range(40)]
    answer = admit([holder, *parents, *nested])  # exponential time would not come back
    assert [found[0].claim.id for found in answer.values()] == ["holder"] * 40
    assert len(answer["n39"]) == 40


@pytest.mark.parametrize("rounds", [2, 3])
def test_a_cycle_of_nested_claims_is_found(rounds: int) -> None:
    runs = [running(f"r{at}", "make", project=f"/{at}") for at in range(rounds)]
    waits = [
        claim(f"w{at}", "make", project=f"/{(at + 1) % rounds}", within=[f"r{at}"])
        for at in range(rounds)
    ]
    claims = [*runs, *waits]
    for waiter in waits[:-1]:
        before = [one for one in claims if one is not waits[-1]]
        assert cycle(waiter, admit(before)[waiter.id], before) is None
    found = cycle(waits[-1], admit(claims)[waits[-1].id], claims)
    assert found is not None
    assert found.claim is runs[0]


@pytest.mark.parametrize(("most", "others", "expected"), [(1, 0, "c"), (2, 0, None), (2, 1, None)])
def test_a_cycle_through_a_limit_is_found(most: int, others: int, expected: str | None) -> None:
    """A second build within the limit may end by itself, and make room."""
    limits = Limits({"build": most})
    a = running("a", "make", project="/a")
    parked = claim("w", "make", project="/w", lanes=["m"])  # for the builds that fill the limit
    c = running("c", "./c", project="/c", lanes=["l"])
    behind = claim("c1", "./c1", project="/c", lanes=["m"], within=["c"])
    inner = claim("a1", "./a1", project="/a", lanes=["l"], within=["a"])
    claims = [a, parked, c, behind, inner]
    if others:
        claims.insert(1, running("d", "make", project="/d"))
    found = cycle(inner, admit(claims, limits)["a1"], claims, limits)
    assert (found.claim.id if found else None) == expected


def test_a_nested_claim_does_not_wait_for_one_that_a_limit_has_wait_for_its_ancestor() -> None:
    limits = Limits({"total": 1})
    parked = claim("w", "./parked", project="/w", lanes=["m"])
    outer = running("b", "./b", project="/b")
    inner = claim("b1", "./b1", project="/b", lanes=["m"], within=["b"])
    assert admit([parked, outer, inner], limits)["b1"] == []
    other = running("x", "./x", project="/x")  # which makes room when it ends
    assert blocked_by([parked, outer, other, inner], "b1", Limits({"total": 2})) == ["w"]


def test_a_plain_claim_is_in_no_cycle() -> None:
    claims = [running("a"), claim("b")]
    assert cycle(claims[1], admit(claims)["b"], claims) is None


def test_a_limit_admits_in_order_and_only_as_many_as_it_has_room_for() -> None:
    claims = [running("a", project="/1"), claim("b", project="/2"), claim("c", project="/3")]
    assert [one.id for one in clear(claims, Limits({"total": 2}))] == ["b"]
    assert [one.rule for one in admit(claims, Limits({"total": 2}))["c"]] == ["limit", "limit"]


def test_a_limit_of_one_category_holds_up_no_other() -> None:
    claims = [running("a", project="/1"), claim("b", project="/2"), claim("c", "./x", project="/2")]
    assert [one.id for one in clear(claims, Limits({"build": 1}))] == ["c"]


def test_a_claim_stuck_on_its_lane_takes_no_slot_of_a_limit() -> None:
    claims = [
        running("a", "./x", project="/1", lanes=["l"]),
        claim("b", "./y", project="/2", lanes=["l"]),
        claim("c", "./z", project="/3"),
    ]
    assert [one.id for one in clear(claims, Limits({"total": 2}))] == ["c"]


def test_a_nested_claim_counts_for_no_limit() -> None:
    claims = [running("a"), claim("n", "./x", within=["a"]), claim("b", project="/q")]
    assert [one.id for one in clear(claims, Limits({"total": 2}))] == ["n", "b"]


def test_conflicts_names_everything_in_the_way() -> None:
    against = [
        {"id": "a", "session": "one", "title": "One", "command": "swift build", "project": "/p"},
        {"id": "b", "session": "me", "command": "swift test", "project": "/p"},
        {"id": "c", "session": "two", "command": "make", "project": "/q"},
        running("d", "cargo check", session="three"),
    ]
    found = conflicts("swift test", "me", "/p", against)
    assert [one.claim.session for one in found] == ["one", "three"]
    assert found[0].claim.title == "One"


def test_may_claim_counts_only_what_stands_before_the_session_s_own_entry() -> None:
    mine = {"session": "me", "command": "make", "project": "/p"}
    other = {"session": "other", "command": "make", "project": "/p"}
    assert may_claim("me", "make", "/p", [], [mine, other])
    assert not may_claim("me", "make", "/p", [], [other, mine])
    assert not may_claim("me", "make", "/p", [other], [mine])
    assert may_claim("me", "git log", "/p", [other], [])


# the rule under attack

Rows = list[tuple[str, str, str, str, list[str], int]]

COMMANDS = ["make", "swift build", "pytest -q", "pytest -q -x", "./deploy.sh", "git status", ""]
RANDOM_CLAIMS = st.lists(
    st.tuples(
        st.sampled_from(COMMANDS),
        st.sampled_from(["s1", "s2", "s3", "s4"]),
        st.sampled_from(["/p", "/q"]),
        st.sampled_from([RUNNING, RESERVED, WAITING, WAITING, WAITING, KEPT]),
        st.lists(st.sampled_from(["l1", "l2"]), max_size=2, unique=True),
        st.integers(0, 8),  # with 8: nested in an earlier claim
    ),
    max_size=9,
)
LIMITS = st.builds(
    Limits, st.dictionaries(st.sampled_from(["total", "build", "test"]), st.integers(1, 3))
)


def build(rows: Rows) -> list[Claim]:
    claims: list[Claim] = []
    for at, (command, session, project, state, lanes, nested) in enumerate(rows):
        within: list[str] = []
        if nested == 8 and at and claims[at // 2].state in ACTIVE:
            within = [*claims[at // 2].within, claims[at // 2].id]
        claims.append(
            claim(
                f"c{at}",
                command,
                state=state,
                session=session,
                project=project,
                lanes=lanes,
                within=within,
            )
        )
    return claims


@given(RANDOM_CLAIMS, LIMITS)
def test_two_contenders_are_never_admitted_together(rows: Rows, limits: Limits) -> None:
    claims = build(rows)
    busy = [one for one in claims if one.state in ACTIVE]
    admitted = clear(claims, limits)

    def overlapped_already(a: Claim, b: Claim) -> bool:
        return any(contends(a, one) for one in busy if one.id in b.within)

    assert not [
        1 for a in busy for b in admitted if contends(a, b) and not overlapped_already(a, b)
    ]

    def ancestors_overlap(a: Claim, b: Claim) -> bool:
        above = [[one for one in busy if one.id in nested.within] for nested in (a, b)]
        return any(contends(one, other) for one in above[0] for other in above[1])

    assert not [
        1 for a, b in combinations(admitted, 2) if contends(a, b) and not ancestors_overlap(a, b)
    ]


@given(RANDOM_CLAIMS)
def test_a_contender_is_never_admitted_before_an_earlier_one_that_waits(rows: Rows) -> None:
    claims = build(rows)
    waiting = [one for one in claims if one.state == WAITING]
    for later in clear(claims):
        if later.within:
            continue  # it may pass those who wait for its ancestor
        assert not [1 for one in waiting[: waiting.index(later)] if contends(one, later)]


@given(RANDOM_CLAIMS)
def test_an_independent_claim_is_never_held_up(rows: Rows) -> None:
    claims = build(rows)
    in_line = [one for one in claims if one.state != KEPT]
    for one in claims:
        if one.state == WAITING and not [1 for other in in_line if contends(one, other)]:
            assert admit(claims)[one.id] == []


@given(RANDOM_CLAIMS, LIMITS)
def test_no_slot_is_idle_while_a_waiter_could_have_it(rows: Rows, limits: Limits) -> None:
    claims = build(rows)
    for id, found in admit(claims, limits).items():
        waiter = next(one for one in claims if one.id == id)
        for blocker in found:
            assert blocker.rule == "limit" or contends(blocker.claim, waiter)
            assert blocker.claim.state in (*ACTIVE, WAITING)


@given(RANDOM_CLAIMS, LIMITS)
def test_the_limits_are_never_overrun_by_an_admission(rows: Rows, limits: Limits) -> None:
    claims = build(rows)
    admitted = [one for one in clear(claims, limits) if not one.within]
    counted = [one for one in claims if one.state in ACTIVE and not one.within]
    for kind, most in limits.most.items():

        def of_kind(group: list[Claim], kind: str = kind) -> int:
            found = [one.reading.category for one in group]
            return sum(one == kind or (kind == "total" and one != "read") for one in found)

        if of_kind(admitted):
            assert of_kind(counted) + of_kind(admitted) <= most


@given(RANDOM_CLAIMS, LIMITS)
def test_the_answer_is_deterministic_and_the_short_form_agrees(rows: Rows, limits: Limits) -> None:
    once, again = build(rows), build(rows)
    answer = {id: [str(one) for one in found] for id, found in admit(once, limits).items()}
    assert answer == {id: [str(one) for one in found] for id, found in admit(again, limits).items()}
    assert [id for id, found in answer.items() if not found] == [
        one.id for one in clear(once, limits)
    ]


@given(RANDOM_CLAIMS, st.sampled_from(COMMANDS))
def test_a_fresh_command_gets_the_answer_that_it_would_get_as_the_last_waiter(
    rows: Rows, command: str
) -> None:
    claims = [one for one in build(rows) if not one.lanes and not one.within]
    last = claim("last", command, session="fresh")
    busy = [one for one in claims if one.state in ACTIVE]
    queue = [one for one in claims if one.state == WAITING]
    as_waiter = last in clear([*busy, *queue, last])
    assert may_claim("fresh", command, "/p", busy, queue) == as_waiter


def test_two_claims_nested_in_one_wait_for_each_other_though_somebody_waits_for_that_one() -> None:
    claims = [
        running("a", lanes=["l"]),
        claim("b", lanes=["l"]),
        claim("c", lanes=["l"], within=["a"]),
        claim("d", lanes=["l"], within=["a"]),
    ]
    found = {id: [one.claim.id for one in known] for id, known in admit(claims).items()}
    assert found == {"b": ["a"], "c": [], "d": ["c"]}


def test_a_limit_names_what_runs_and_says_how_much_of_it() -> None:
    claims = [running("a"), running("b", "pytest"), claim("c", project="/q")]
    (one,) = admit(claims, Limits({"build": 1}))["c"]
    assert (one.claim.id, one.rule) == ("a", "limit")
    assert one.reason == "limit: 1 of 1 builds is running on this host"
    reasons = {one.reason for one in admit(claims, Limits({"total": 2}))["c"]}
    assert reasons == {"limit: 2 of 2 commands are running on this host"}


def test_a_strained_host_starts_nothing_beside_what_runs_and_is_asked_once() -> None:
    asked = []

    def strain() -> str:
        asked.append(1)
        return "the load is high"

    limits = Limits(strain=strain)
    waiting = [claim("b", project="/q"), claim("c", project="/r")]
    found = admit([running("a"), *waiting], limits)
    assert {id: [one.reason for one in known] for id, known in found.items()} == {
        "b": ["limit: the load is high"],
        "c": ["limit: the load is high"],
    }
    assert len(asked) == 1
    found = admit(waiting, limits)  # the first has nobody to wait for
    assert [len(known) for known in found.values()] == [0, 1]
    inner = claim("d", project="/q", within=["a"])
    assert admit([running("a"), inner], limits)["d"] == []  # its ancestor's slot is its slot


def test_with_a_total_of_one_arrival_order_is_strict() -> None:
    claims = [
        running("a", "pytest"),
        claim("b", project="/q"),
        claim("c", "ls-x", project="/r"),
    ]
    one = Limits({"total": 1})
    assert clear(claims, one) == []
    assert [found.id for found in clear(claims[1:], one)] == ["b"]
