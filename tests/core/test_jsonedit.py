from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from hostgate.core.jsonedit import Unreadable, append, put, remove, replace, value

Path = tuple[str | int, ...]

CLAUDE = """\
{
  "model": "opus",
  "permissions": {
    "allow": [
      "Bash(npm run test:*)",
      "Read(~/.zshrc)"
    ],
    "deny": []
  },
  "hooks": {
    "PreToolUse": [
      {
        "matcher": "Bash",
        "hooks": [
          {
            "type": "command",
            "command": "~/bin/guard \\"$CLAUDE_PROJECT_DIR\\""
          }
        ]
      }
    ]
  }
}
"""
TABS = """\
\ufeff// Gemini
{
\t"theme": "Größe", // "dark"
\t"hooks": {
\t\t"BeforeTool": [
\t\t\t"one", // the first, of the "["
\t\t\t"two\\u00e9" /* the second */ // the last
\t\t\t/* "three", */
\t\t], // no more
\t},
}"""
HOOK = {"matcher": "Bash", "hooks": [{"type": "command", "command": "hostgate hook"}]}
HOOK_WRITTEN = """\
      {
        "matcher": "Bash",
        "hooks": [
          {
            "type": "command",
            "command": "hostgate hook"
          }
        ]
      }
"""


def test_a_hook_comes_after_the_others_and_goes_again() -> None:
    edited = append(CLAUDE, ("hooks", "PreToolUse"), HOOK)
    assert edited == CLAUDE.replace("      }\n    ]\n  }", f"      }},\n{HOOK_WRITTEN}    ]\n  }}")
    assert remove(edited, ("hooks", "PreToolUse", 1)) == CLAUDE


def test_a_hook_of_a_new_event_and_a_permission_in_an_empty_list() -> None:
    edited = append(CLAUDE, ("hooks", "Stop"), HOOK)
    assert edited == CLAUDE.replace(
        "    ]\n  }\n}\n", f'    ],\n    "Stop": [\n{HOOK_WRITTEN}    ]\n  }}\n}}\n'
    )
    assert remove(edited, ("hooks", "Stop")) == CLAUDE
    edited = append(CLAUDE, ("permissions", "deny"), "Bash(rm:*)")
    assert edited == CLAUDE.replace("[]", '[\n      "Bash(rm:*)"\n    ]')
    assert remove(edited, ("permissions", "deny", 0)) == CLAUDE


def test_what_is_there_is_replaced_in_its_place() -> None:
    assert put(CLAUDE, (), "model", "é☃") == CLAUDE.replace('"opus"', '"é☃"')
    path: Path = ("hooks", "PreToolUse", 0, "hooks", 0)
    edited = put(CLAUDE, path, "type", {"a": 1})
    assert edited == CLAUDE.replace('"command",', '{\n              "a": 1\n            },')
    assert replace(CLAUDE, ("permissions", "allow"), 1, None) == CLAUDE.replace(
        '"Read(~/.zshrc)"', "null"
    )


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_comments_tabs_and_trailing_commas_stay(end: str) -> None:
    text = TABS.replace("\n", end)
    edited = append(text, ("hooks", "BeforeTool"), {"a": 1})
    last = r'"two\u00e9" /* the second */ // the last'
    added = '\n\t\t\t{\n\t\t\t\t"a": 1\n\t\t\t}'.replace("\n", end)
    assert edited == text.replace(last, last.replace('" /', '", /') + added)
    assert remove(edited, ("hooks", "BeforeTool", 2)) == text
    edited = put(text, (), "new", True)
    assert edited == text[:-1] + f'\t"new": true,{end}}}'
    assert remove(edited, ("new",)) == text


@pytest.mark.parametrize(
    "text", ["", "\n", " \t\n", "{}\n", "{ }\n", "{\n}\n", "\ufeff", "\ufeff{}\n", "\r\n\r\n"]
)
def test_an_empty_file_becomes_a_neat_one(text: str) -> None:
    neat = '{\n  "hooks": {\n    "Stop": [\n      1\n    ]\n  }\n}\n'
    edited = append(text, ("hooks", "Stop"), 1)
    bom, end = "\ufeff" * ("\ufeff" in text), "\r\n" if "\r" in text else "\n"
    assert edited == bom + neat.replace("\n", end)


EXAMPLES = r"""
append | [1, 2] | [1, 2, 3]
append | [ 1, 2 ] | [ 1, 2, 3 ]
append | [1, 2,] | [1, 2, 3,]
append | [1,] | [1, 3,]
append | [1 /* one */] | [1 /* one */, 3]
append | [1, /* one */ ] | [1, /* one */ 3, ]
append | [1 // one↵] | [1, 3 // one↵]
append | [↵  1↵] | [↵  1,↵  3↵]
append | [↵  1,↵] | [↵  1,↵  3,↵]
append | [↵  1 // last↵] | [↵  1, // last↵  3↵]
append | [↵  1 /* a */ // b↵  // end↵] | [↵  1, /* a */ // b↵  3↵  // end↵]
append | [↵  1, // last↵] | [↵  1, // last↵  3,↵]
append | [↵  1   ↵] | [↵  1,   ↵  3↵]
append | [↵  1 /* a↵ b */↵] | [↵  1, /* a↵ b */↵  3↵]
append | [↵  1, 2,↵  4, 5↵] | [↵  1, 2,↵  4, 5, 3↵]
append | [1,↵ 2] | [1,↵ 2,↵ 3]
append | [↵  // none↵] | [↵  // none↵  3↵]
append | [ /* none */ ]↵ | [ /* none */↵  3↵]↵
append | ["a//b", "/*"] | ["a//b", "/*", 3]
put | {"a": 1} | {"a": 1, "k": {"x": [1]}}
put | {"a":1,"b":2} | {"a":1,"b":2,"k":{"x":[1]}}
put | {"a":1,"k":[]} | {"a":1,"k":{"x":[1]}}
put | {↵⇥"a" : 1↵} | {↵⇥"a" : 1,↵⇥"k" : {↵⇥⇥"x" : [↵⇥⇥⇥1↵⇥⇥]↵⇥}↵}
put | {↵ "k": [2], "a": 1↵} | {↵ "k": {"x": [1]}, "a": 1↵}
put | {"a": {↵  "b": 1↵}} | {"a": {↵  "b": 1↵}, "k": {↵  "x": [↵    1↵  ]↵}}
put | // c↵ | // c↵{↵  "k": {↵    "x": [↵      1↵    ]↵  }↵}↵
put | {"k":{"x":[1]},} | {"k":{"x":[1]},}
put | {"k": { "x" : [1] /* c */ }} | {"k": { "x" : [1] /* c */ }}
remove | [1, 2, 4] | [1, 4]
remove | [1, 2] | [1]
remove | [ 1, 2 ] | [ 1 ]
remove | [1, 2,] | [1,]
remove | [1, /* two */ 2] | [1]
remove | [1, 2, // c↵ 4] | [1, // c↵ 4]
remove | [1, // one↵ 2] | [1 // one↵]
remove | [1↵, 2↵, 4] | [1↵, 4]
remove | [↵  1, // one↵  2, // two↵  // four↵  4 // 4↵] | [↵  1, // one↵  // four↵  4 // 4↵]
remove | [↵  1, // one↵  /* 2 */ 2 // two↵] | [↵  1 // one↵]
remove | [↵  1, // one↵↵  // two↵  2↵] | [↵  1 // one↵↵  // two↵]
remove | [↵  1, 2, 4↵] | [↵  1, 4↵]
remove | [↵  1,↵  2, 4↵] | [↵  1,↵  4↵]
remove | [↵  1, /* 1↵ */ 2 /* 2↵ */, 4↵] | [↵  1, /* 1↵ */ 4↵]
remove 0 | [1] | []
remove 0 | [↵  1, // one↵] | []
remove 0 | [↵  // one↵  1↵] | [↵  // one↵]
remove 0 | [1, 2] | [2]
remove 0 | [ 1↵, 2↵] | [↵ 2↵]
remove 0 | [↵  1 // one↵  , // two↵ 2↵] | [↵   // two↵ 2↵]
"""


@pytest.mark.parametrize("line", EXAMPLES.strip().split("\n"))
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_the_style_of_the_text_stays(line: str, end: str) -> None:
    what, text, edited = line.replace("↵", end).replace("⇥", "\t").split(" | ")
    edits: dict[str, Callable[[], str]] = {
        "append": lambda: append(text, (), 3),
        "put": lambda: put(text, (), "k", {"x": [1]}),
        "remove": lambda: remove(text, (1,)),
        "remove 0": lambda: remove(text, (0,)),
    }
    assert edits[what]() == edited


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"a": 1,\n "\\u0061": 2}', "line 2: 'a' is there twice"),
        ("[1,\n,]", "line 2: a value is missing or broken"),
        ("[1 2]", 'line 1: "," or "]" is missing'),
        ("{1: 2}", 'line 1: a name in quotes or "}" is missing'),
        ('{"a" 2}', 'line 1: ":" is missing'),
        ("\n{", 'line 2: a name in quotes or "}" is missing'),
        ("[1", 'line 1: "," or "]" is missing'),
        ("/*", "line 1: a value is missing or broken"),
        ("// a\rb", "line 1: a value is missing or broken"),
        ('"\t"', "line 1: a value is missing or broken"),
        ('"\\x"', "line 1: a value is missing or broken"),
        ("NaN", "line 1: a value is missing or broken"),
        ("[1]\n\n]", "line 3: nothing may follow the value"),
        ("01", "line 1: nothing may follow the value"),
        ("[" * 100_000, "line 1: too many objects and arrays in one another"),
        ("1" * 10_000, "line 1: too long a number"),
    ],
)
def test_what_is_no_json_is_refused_with_its_line(text: str, why: str) -> None:
    edits: list[Callable[[str], object]] = [value, lambda text: put(text, (), "a", 1)]
    for edit in edits:
        with pytest.raises(Unreadable) as caught:
            edit(text)
        assert str(caught.value) == why


@pytest.mark.parametrize(
    ("edit", "why"),
    [
        (lambda text: put(text, ("a", "s"), "k", 1), "line 3: 'a.s' is not an object"),
        (lambda text: put(text, ("a", "l"), "k", 1), "line 4: 'a.l' is not an object"),
        (lambda text: put(text, ("a", 0), "k", 1), "line 2: 'a' is not an array"),
        (lambda text: put(text, ("a", "l", 2), "k", 1), "line 4: no member or item is 'a.l.2.k'"),
        (lambda text: append(text, ("a",), 1), "line 2: 'a' is not an array"),
        (lambda text: append(text, (), 1), "line 1: the whole is not an array"),
        (lambda text: append(text, ("x", 0), 1), "line 1: no member or item is 'x.0'"),
        (lambda text: replace(text, ("a", "l"), 2, 1), "line 4: no member or item is 'a.l.2'"),
        (lambda text: replace(text, ("a", "l"), -1, 1), "line 4: no member or item is 'a.l.-1'"),
        (lambda text: remove(text, ("a", "\n")), "line 2: no member or item is 'a.\\n'"),
        (lambda text: remove(text, ()), "line 1: no member or item is the whole"),
    ],
)
def test_what_is_of_another_shape_is_refused(edit: Callable[[str], str], why: str) -> None:
    with pytest.raises(Unreadable) as caught:
        edit('{\n  "a": {\n    "s": "",\n    "l": [1, 2]}}')
    assert str(caught.value) == why


@pytest.mark.parametrize("new", [float("nan"), float("inf"), {1, 2}, b"a", {"a": [object()]}])
def test_what_json_cannot_say_is_not_written(new: object) -> None:
    with pytest.raises(TypeError):
        put("{}", (), "a", new)


SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=6)
    | st.text(alphabet='/*"\\,:]}[{\n\r\ud83d\ude00é', max_size=6)
)
KEYS = st.sampled_from(["a", "b", "//", "/*", '"', "\\", "é", ""]) | st.text(max_size=4)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)
OBJECTS = st.dictionaries(KEYS, VALUES, max_size=4)
BLANKS = ["", "", " ", "\n", "\r\n", "\n\t", "\n  ", "\r", "\r\r\n", "  ", "\t\n"]
NOTES = ["/*,*/", " /* // */ ", '/*]\n"*/', "/**/\n", "// x\n", " //,]}/*\r\n   ", "//\r\r\n"]
GAPS = st.sampled_from([*BLANKS, *NOTES])


@st.composite
def texts(draw: st.DrawFn) -> tuple[str, Any]:
    """An object, as someone may have written it."""
    few = draw(st.booleans())

    def gap() -> str:
        return "" if few and draw(st.booleans()) else draw(GAPS)

    def written(item: object) -> str:
        if isinstance(item, dict):
            parts = [f"{written(key)}{gap()}:{gap()}{written(item[key])}" for key in item]
        elif isinstance(item, list):
            parts = [written(one) for one in item]
        else:
            return json.dumps(item, ensure_ascii=draw(st.booleans()))
        opener, closer = "{}" if isinstance(item, dict) else "[]"
        inside = ",".join([f"{gap()}{part}{gap()}" for part in parts])
        if not parts:
            inside = gap()
        elif draw(st.booleans()):
            inside += f",{gap()}"
        return opener + inside + closer

    whole = plain(draw(OBJECTS))
    bom = draw(st.sampled_from(["", "", "\ufeff"]))
    return f"{bom}{gap()}{written(whole)}{gap()}", whole


def plain(item: Any) -> Any:
    """What JSON makes of it: the halves of a surrogate pair become one character."""
    return json.loads(json.dumps(item))


def places(item: object, kind: type, path: Path = ()) -> Iterator[Path]:
    """The paths of all the objects, or of all the arrays."""
    if isinstance(item, kind):
        yield path
    pairs = item.items() if isinstance(item, dict) else ()
    for key, one in enumerate(item) if isinstance(item, list) else pairs:
        yield from places(one, kind, (*path, key))


def at(item: Any, path: Path) -> Any:
    for key in path:
        item = item[key]
    return item


def same(one: object, other: object) -> bool:
    return repr(one) == repr(other)  # 1 is not True, and the order counts


def holds(text: str, part: str) -> bool:
    rest = iter(text)
    return all(char in rest for char in part)


def comments(text: str) -> list[str]:
    found = re.finditer(r'"(?:\\.|[^"\\])*"|(/\*.*?\*/|//[^\r\n]*)', text, re.DOTALL)
    return [one[1] for one in found if one[1]]


@given(texts())
def test_a_text_means_what_was_written(written: tuple[str, Any]) -> None:
    assert same(value(written[0]), written[1])


@given(texts(), KEYS, VALUES, st.data())
def test_a_member_is_put(written: tuple[str, Any], key: str, new: Any, data: st.DataObject) -> None:
    text, whole = written
    path = data.draw(st.sampled_from([*places(whole, dict)]))
    names = [*at(whole, path), key]
    key = data.draw(st.sampled_from([name for name in names if plain(name) == name] or ["k"]))
    expected = copy.deepcopy(whole)
    target = at(expected, path)
    before = dict(target)
    target[key] = plain(new)
    edited = put(text, path, key, new)
    assert same(value(edited), expected)
    assert put(edited, path, key, plain(new)) == edited
    if key not in before:
        assert comments(edited) == comments(text)
        assert holds(edited, text) or not before
        back = remove(edited, (*path, key))
        assert back == text if before else same(value(back), whole)
    else:
        head, tail = put(text, path, key, "§mark§").split('"§mark§"')
        assert text.startswith(head) and text.endswith(tail)
        assert edited.startswith(head) and edited.endswith(tail)


@given(texts(), VALUES, st.data())
def test_an_item_is_appended(written: tuple[str, Any], item: Any, data: st.DataObject) -> None:
    text, whole = written
    paths = [*places(whole, list)]
    assume(paths)
    path = data.draw(st.sampled_from(paths))
    expected = copy.deepcopy(whole)
    target = at(expected, path)
    target.append(plain(item))
    edited = append(text, path, item)
    assert same(value(edited), expected)
    assert comments(edited) == comments(text)
    assert holds(edited, text) or len(target) == 1
    back = remove(edited, (*path, len(target) - 1))
    assert back == text if len(target) > 1 else same(value(back), whole)


@given(texts(), VALUES, st.data())
def test_an_item_is_replaced(written: tuple[str, Any], item: Any, data: st.DataObject) -> None:
    text, whole = written
    paths = [
        (*path, index) for path in places(whole, list) for index in range(len(at(whole, path)))
    ]
    assume(paths)
    *path, index = data.draw(st.sampled_from(paths))
    expected = copy.deepcopy(whole)
    at(expected, tuple(path))[index] = plain(item)
    assert same(value(replace(text, tuple(path), int(index), item)), expected)


@given(texts(), st.data())
def test_a_member_or_an_item_is_removed(written: tuple[str, Any], data: st.DataObject) -> None:
    text, whole = written
    paths: list[Path] = [(*path, key) for path in places(whole, dict) for key in at(whole, path)]
    paths += [
        (*path, index) for path in places(whole, list) for index in range(len(at(whole, path)))
    ]
    assume(paths)
    *path, key = data.draw(st.sampled_from(paths))
    expected = copy.deepcopy(whole)
    del at(expected, tuple(path))[key]
    edited = remove(text, (*path, key))
    assert same(value(edited), expected)
    assert holds(text, edited)


@given(st.integers(1, 5), st.data())
def test_only_the_comment_behind_goes_with_an_item(count: int, data: st.DataObject) -> None:
    trailing = data.draw(st.booleans())
    gone = data.draw(st.integers(0, count - 1))

    def lines(of: list[int]) -> str:
        text = "[ // all\n"
        for index in range(count):
            comma = "," if trailing or [index] != of[-1:] else ""
            text += f"  // above {index}\n"
            text += f"  {index}{comma} // behind {index}\n" if index in of else ""
        return text + "  // below\n]"

    left = [index for index in range(count) if index != gone]
    assert remove(lines([*range(count)]), (gone,)) == lines(left)


@given(OBJECTS, KEYS, VALUES, st.data())
def test_a_neat_text_stays_neat(whole: Any, key: str, new: Any, data: st.DataObject) -> None:
    whole, key, new = plain(whole), plain(key), plain(new)
    assume(whole)
    unit = data.draw(st.sampled_from([1, 2, 3, 4, "\t", None]))
    end = data.draw(st.sampled_from(["\n", "\r\n"]))
    marks = (",", ": ") if unit else data.draw(st.sampled_from([(", ", ": "), (",", ":")]))

    def neat(item: object) -> str:
        text = json.dumps(item, ensure_ascii=False, indent=unit, separators=marks)
        text = re.sub("[\ud800-\udfff]", lambda found: f"\\u{ord(found[0]):04x}", text)
        return text.replace("\n", end) + end

    expected: Any = copy.deepcopy(whole)
    if paths := [*places(whole, list)]:
        path = data.draw(st.sampled_from(paths))
        at(expected, path).append(copy.deepcopy(new))
        edited = append(neat(whole), path, new)
        assert edited == neat(expected)
        assert remove(edited, (*path, len(at(whole, path)))) == neat(whole)
    path = data.draw(st.sampled_from([*places(expected, dict)]))
    text = neat(expected)
    at(expected, path)[key] = new
    edited = put(text, path, key, new)
    assert edited == neat(expected)
    del at(expected, path)[key]
    assert remove(edited, (*path, key)) == neat(expected)


@given(st.text() | st.text(alphabet='{}[],:"\\/*-.0123eEu\n\r\t truefalsn\ud800\ufeff'))
def test_any_text_is_read_as_json_reads_it_or_refused(text: str) -> None:
    read_or_refused(text)


@given(texts(), st.data())
def test_a_text_with_a_slip_in_it_is_read_or_refused(
    written: tuple[str, Any], data: st.DataObject
) -> None:
    text = written[0]
    place = data.draw(st.integers(0, len(text)))
    slip = data.draw(st.sampled_from(["", *'{}[],:"\\/*\n\r 1']))
    text = text[:place] + slip + text[place + data.draw(st.integers(0, 2)) :]
    read_or_refused(text)


def read_or_refused(text: str) -> None:
    try:
        found = value(text)
    except Unreadable as problem:
        assert re.fullmatch(r"line [1-9][0-9]*: [^\r\n]+", str(problem))
        with pytest.raises(ValueError):
            json.loads(text, object_pairs_hook=unique, parse_constant=int)
        return
    if not re.search(r"/|,\s*[]}]|^\ufeff?\s*$|^\ufeff", text):
        assert same(found, json.loads(text))
    if isinstance(found, dict) and "k" not in found:
        edited = put(text, (), "k", 1)
        assert same(value(edited), {**found, "k": 1})
        assert not found or remove(edited, ("k",)) == text


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) < len(pairs):
        raise ValueError("twice")
    return dict(pairs)
