from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hostgate.core.claims import KEPT, RESERVED, RUNNING, WAITING, Claim, Owner, Registry
from hostgate.core.registry import (
    KEPT_FOR,
    Now,
    Superseded,
    adopt,
    begin,
    end,
    enqueue,
    insist,
    known_before,
    leave,
    prune,
    start,
    take,
    take_over,
    turn,
    with_run_id,
)


def claim(id: str, command: str = "make", session: str = "") -> Claim:
    return Claim(
        id=id,
        session=session or f"s-{id}",
        title=id,
        project="/p",
        command=command,
        owner=Owner("host", 100, session or f"s-{id}", ""),
        enqueued_at="",
        enqueued=0.0,
    )


def at(seconds: float) -> Now:
    return Now(seconds, f"utc {seconds:g}")


def ids(registry: Registry) -> list[str]:
    return [one.id for one in registry.claims]


def test_a_clear_claim_runs_with_the_next_epoch() -> None:
    registry, one = Registry(41), claim("a")
    assert begin(registry, one, at(7)) == []
    assert (one.state, one.epoch, one.since, one.started_at) == (RUNNING, 42, 7, "utc 7")


def test_a_waiter_waits_since_it_came_and_runs_since_it_started() -> None:
    registry = Registry()
    begin(registry, first := claim("a"), at(5))
    enqueue(registry, second := claim("b"), at(7))
    assert (second.state, second.enqueued, second.since) == (WAITING, 7, 7)
    end(registry, first)
    turn(registry, second, at(9))
    assert (second.state, second.enqueued, second.since) == (RUNNING, 7, 9)


def test_a_blocked_begin_leaves_the_registry_as_it_was() -> None:
    registry = Registry()
    begin(registry, claim("a"), at(0))
    assert [one.claim.id for one in begin(registry, claim("b"), at(1))] == ["a"]
    assert ids(registry) == ["a"]
    assert registry.epoch == 1


def test_run_anyway_leaves_both_claims_listed_and_is_remembered() -> None:
    registry, second = Registry(), claim("b")
    begin(registry, claim("a"), at(0))
    begin(registry, second, at(1), override=True)
    assert ids(registry) == ["a", "b"]
    assert second.override
    assert second.behind == {"a": "identical"}


def test_an_override_with_nothing_in_the_way_is_none() -> None:
    registry, one = Registry(), claim("a")
    begin(registry, one, at(0), override=True)
    assert not one.override


def test_run_anyway_is_one_shot() -> None:
    registry = Registry()
    begin(registry, claim("a"), at(0))
    begin(registry, claim("b", session="s"), at(1), override=True)
    end(registry, registry.claims[1])
    assert begin(registry, claim("c", session="s"), at(2)) != []


def test_five_waiters_run_in_the_order_they_came() -> None:
    registry = Registry()
    claims = [claim(f"c{number}") for number in range(6)]
    for number, one in enumerate(claims):
        enqueue(registry, one, at(number))
    for before, after in pairwise(claims):
        assert before.state == RUNNING
        assert [one.id for one in registry.claims if one.state == RUNNING] == [before.id]
        end(registry, before)
        for waiter in reversed(claims):  # whoever looks first
            if waiter.state == WAITING:
                turn(registry, waiter, at(10))
        assert after.state == RUNNING


def test_a_turn_that_could_not_be_written_counts_for_nothing() -> None:
    registry = Registry()
    begin(registry, claim("a"), at(0))
    enqueue(registry, waiter := claim("b"), at(1))
    on_disk = list(registry.claims)
    registry.claims = registry.claims[1:]
    assert turn(registry, waiter, at(2)) == []  # but it could not be written, and then:
    registry.claims = on_disk
    assert turn(registry, waiter, at(3)) != []
    assert (waiter.state, waiter.since) == (WAITING, 1)


def test_a_waiter_that_the_registry_lost_goes_to_the_end_of_the_line() -> None:
    registry = Registry()
    begin(registry, claim("a"), at(0))
    lost = claim("b")
    assert turn(registry, lost, at(1)) != []
    assert ids(registry) == ["a", "b"]


def test_a_kept_place_is_taken_up_by_the_same_session_and_command() -> None:
    registry = Registry()
    begin(registry, claim("a"), at(0))
    enqueue(registry, first := claim("b", session="s"), at(1))
    enqueue(registry, claim("c"), at(2))
    leave(registry, first, at(3), keep=True)
    assert registry.claims[1].state == KEPT
    enqueue(registry, claim("d", "MAKE", session="s"), at(4))
    assert ids(registry) == ["a", "d", "c"]


@pytest.mark.parametrize(
    ("command", "session", "lanes"),
    [("make all", "s", []), ("make", "t", []), ("make", "s", ["deploy"])],
)
def test_a_kept_place_is_nobody_else_s(command: str, session: str, lanes: list[str]) -> None:
    registry = Registry()
    begin(registry, claim("a"), at(0))
    enqueue(registry, first := claim("b", session="s"), at(1))
    leave(registry, first, at(3), keep=True)
    other = claim("d", command, session=session)
    other.lanes = lanes
    enqueue(registry, other, at(4))
    assert ids(registry) == ["a", "b", "d"]


def test_a_blocked_begin_leaves_the_kept_place_where_it_is() -> None:
    registry = Registry()
    begin(registry, claim("a"), at(0))
    enqueue(registry, first := claim("b", session="s"), at(1))
    leave(registry, first, at(3), keep=True)
    assert begin(registry, claim("d", session="s"), at(4)) != []
    assert ids(registry) == ["a", "b"]


@pytest.mark.parametrize("later", [KEPT_FOR + 1.5, -1000.0])
def test_a_place_is_kept_for_ten_minutes_of_uptime_and_not_over_a_boot(later: float) -> None:
    registry, one = Registry(), claim("a")
    enqueue(registry, one, at(0))
    one.state = WAITING
    leave(registry, one, at(1), keep=True)
    assert prune(registry, lambda _: True, at(KEPT_FOR)) == []
    assert [dropped.id for dropped in prune(registry, lambda _: False, at(later))] == ["a"]


def test_prune_drops_only_what_is_gone() -> None:
    registry = Registry()
    for id in "abc":
        begin(registry, claim(id, session="s"), at(0))
    assert [one.id for one in prune(registry, lambda one: one.id == "b", at(1))] == ["b"]
    assert ids(registry) == ["a", "c"]


def test_a_write_by_a_former_owner_is_refused() -> None:
    registry, one = Registry(), claim("a")
    begin(registry, one, at(0))
    taker = claim("a", session="taker")
    registry.claims[0] = taker
    taker.epoch = registry.next_epoch()
    with pytest.raises(Superseded) as caught:
        end(registry, one)
    assert caught.value.claim is taker
    assert ids(registry) == ["a"]


@pytest.mark.parametrize("state", [RUNNING, WAITING, KEPT])
def test_who_takes_over_has_the_id_the_place_and_the_next_epoch(state: str) -> None:
    registry = Registry()
    first, second, third = claim("a"), claim("b"), claim("c")
    for now, one in enumerate((first, second, third)):
        enqueue(registry, one, at(now))
    former = first if state == RUNNING else second
    if state == KEPT:
        leave(registry, former, at(3), keep=True)
    taker = claim("x", session="taker")
    take_over(registry, former, taker, at(9))
    assert ids(registry) == ["a", "b", "c"]
    assert registry.find(former.id) is taker
    assert taker.state == (RUNNING if state == RUNNING else WAITING)
    assert taker.epoch == registry.epoch > former.epoch
    assert taker.enqueued == former.enqueued
    assert (taker.since, taker.started_at) == ((9, "utc 9") if state == RUNNING else (1, ""))


def test_every_write_of_a_former_owner_is_refused_and_says_who_has_it() -> None:
    registry = Registry()
    begin(registry, claim("h"), at(0))
    former = claim("w")
    enqueue(registry, former, at(1))
    taker = claim("x", session="taker")
    take_over(registry, former, taker, at(2))
    before = ids(registry)
    for write in (
        lambda: turn(registry, former, at(3)),
        lambda: end(registry, former),
        lambda: leave(registry, former, at(3), keep=True),
        lambda: take_over(registry, former, claim("y"), at(3)),
    ):
        with pytest.raises(Superseded, match=r"w was taken over by x \(pid 100, epoch 3\)"):
            write()
    assert ids(registry) == before
    assert registry.find("w") is taker


def test_nobody_takes_over_what_has_ended() -> None:
    registry, one = Registry(), claim("a")
    begin(registry, one, at(0))
    end(registry, one)
    with pytest.raises(LookupError):
        take_over(registry, one, claim("x"), at(1))


def test_a_run_id_belongs_to_a_live_claim_and_not_to_a_kept_place() -> None:
    registry, one = Registry(), claim("a")
    one.run_id = "r1"
    begin(registry, claim("h"), at(0))
    enqueue(registry, one, at(1))
    assert with_run_id(registry, "r1") is one
    assert with_run_id(registry, "r2") is None
    leave(registry, one, at(2), keep=True)
    assert with_run_id(registry, "r1") is None


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["enqueue", "turn", "end", "leave", "take_over"]),
        st.integers(0, 7),
        st.booleans(),
    ),
    max_size=30,
)


@given(STEPS)
def test_each_claim_has_one_owner_and_only_that_one_can_write(
    steps: list[tuple[str, int, bool]],
) -> None:
    registry = Registry()
    known: list[Claim] = []  # every claim that anybody ever had in hands, former owners' too
    for now, (step, which, keep) in enumerate(steps):
        epoch = registry.epoch
        if step == "enqueue" or not known:
            known.append(claim(f"c{now}"))
            enqueue(registry, known[-1], at(now))
            continue
        mine = known[which % len(known)]
        there = registry.find(mine.id)
        stale = there is not None and there is not mine
        owner = there.session if there else None
        try:
            if step == "turn" and there is not None and there.state == WAITING:
                turn(registry, mine, at(now))
            elif step == "end":
                end(registry, mine)
            elif step == "leave" and there is not None and there.state == WAITING:
                leave(registry, mine, at(now), keep)
            elif step == "take_over" and there is not None:
                known.append(claim(f"t{now}"))
                take_over(registry, mine, known[-1], at(now))
                assert known[-1].epoch == registry.epoch == epoch + 1
            assert not stale or step not in ("end", "take_over")
        except Superseded as error:
            assert stale
            assert error.claim.session == owner
            assert registry.epoch == epoch
        assert len(set(ids(registry))) == len(registry.claims)
        assert registry.epoch >= epoch


def test_a_nested_claim_stands_right_behind_its_ancestor_and_its_elder_siblings() -> None:
    registry = Registry()
    begin(registry, claim("a", session="s"), at(0))
    enqueue(registry, claim("w"), at(1))
    for id in ("n1", "n2"):
        nested = claim(id, session="elsewhere")
        adopt(registry, nested, ["a"])
        assert begin(registry, nested, at(2)) == []
        assert nested.session == "s"
    assert ids(registry) == ["a", "n1", "n2", "w"]


def test_a_stale_or_foreign_marker_is_not_believed() -> None:
    registry, nested = Registry(), claim("n")
    begin(registry, claim("a"), at(0))
    enqueue(registry, claim("w"), at(1))
    adopt(registry, nested, ["gone", "w"])  # w only waits: nothing runs inside it
    assert nested.within == []
    assert begin(registry, nested, at(2)) != []


def reserved(id: str, command: str = "make", session: str = "") -> Claim:
    one = claim(id, command, session)
    one.lasts = 120.0
    return one


def test_a_claim_that_is_to_be_a_reservation_becomes_one_when_its_turn_comes() -> None:
    registry = Registry()
    begin(registry, first := claim("a"), at(5))
    enqueue(registry, second := reserved("b"), at(6))
    assert second.state == WAITING
    end(registry, first)
    assert turn(registry, second, at(7)) == []
    assert (second.state, second.since, second.started_at) == (RESERVED, 7, "utc 7")
    assert [one.claim.id for one in begin(registry, claim("c"), at(8))] == ["b"]


def test_who_takes_a_reservation_over_is_its_owner_with_the_next_epoch() -> None:
    registry = Registry()
    begin(registry, one := reserved("a"), at(5))
    take(registry, one, Owner("host", 7, "2", ""), at(9))
    assert (one.state, one.held, one.lasts, one.since) == (RUNNING, True, 0.0, 9)
    assert (one.owner.pid, one.epoch) == (7, 2)
    take(registry, one, Owner("host", 8, "3", ""), at(11))  # it was noted by another before
    assert (one.since, one.owner.pid, one.epoch) == (9, 8, 3)


@pytest.mark.parametrize(("later", "left"), [(120.0, True), (120.5, False), (-1.0, False)])
def test_a_reservation_lasts_for_its_time_if_nobody_holds_it(later: float, left: bool) -> None:
    registry = Registry()
    begin(registry, reserved("a"), at(1000))
    dropped = prune(registry, lambda _: True, at(1000 + later))
    assert (ids(registry), len(dropped)) == ((["a"], 0) if left else ([], 1))


def test_a_reservation_that_somebody_holds_outlasts_its_time() -> None:
    registry = Registry()
    begin(registry, reserved("a"), at(0))
    assert prune(registry, lambda _: False, at(1000)) == []


def test_one_session_has_one_reservation_for_one_command() -> None:
    registry = Registry()
    begin(registry, first := reserved("a", "make  all", "s"), at(5))
    assert known_before(registry, reserved("b", "make all", "s"), RESERVED) is first
    assert known_before(registry, reserved("b", "make", "s"), RESERVED) is None
    assert known_before(registry, reserved("b", "make all", "t"), RESERVED) is None


def test_what_runs_inside_a_reservation_or_twice_inside_one_claim_is_nested_once() -> None:
    registry = Registry()
    begin(registry, reserved("a", session="s"), at(5))
    adopt(registry, inner := claim("b"), ["a", "a"])
    assert (inner.within, inner.session) == (["a"], "s")


def test_a_turn_of_one_that_was_let_in_finds_that_out() -> None:
    registry = Registry()
    begin(registry, first := claim("a"), at(0))
    enqueue(registry, second := claim("b"), at(1))
    end(registry, first)
    listed = claim("b")  # as another process reads it
    registry.claims[0] = listed
    listed.epoch = second.epoch
    start(registry, listed, at(5))
    assert turn(registry, second, at(9)) == []
    assert (second.state, second.since, second.epoch) == (RUNNING, 5, listed.epoch)


def test_one_that_was_let_in_may_leave() -> None:
    registry = Registry()
    begin(registry, first := claim("a"), at(0))
    enqueue(registry, second := claim("b"), at(1))
    end(registry, first)
    listed = claim("b")
    registry.claims[0] = listed
    start(registry, listed, at(5))
    leave(registry, second, at(6), keep=False)
    assert ids(registry) == []


@pytest.mark.parametrize("known", ["waiting", "running", "lost"])
def test_what_runs_is_listed_as_running_in_its_place(known: str) -> None:
    registry = Registry()
    enqueue(registry, first := claim("a", command="ls -x"), at(0))
    enqueue(registry, claim("b"), at(1))
    enqueue(registry, last := claim("c"), at(2))
    mine = registry.claims[1]
    if known == "lost":
        registry.claims.remove(mine)
    elif known == "waiting":
        mine.state = WAITING
    runs = claim("b")
    runs.state, runs.epoch = RUNNING, mine.epoch
    insist(registry, runs)
    assert runs in registry.claims
    assert [one.state for one in registry.claims if one.id == "b"] == [RUNNING]
    assert runs.epoch == (mine.epoch if known == "running" else registry.epoch)
    if known != "lost":
        assert [one.id for one in registry.claims] == [first.id, "b", last.id]
