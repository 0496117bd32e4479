from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hostgate.core.keylines import Lines

TEXT = '''# scope = "no key"
scope = "repo"   # contend = []
never = [
  "a = 1", # threshold = 1
  """
threshold = 3
""", 'c',

  { x = [1,
 2] }, "e",
]
threshold = """
contend = 1""\\"""""
commands.build = ["x"]
[ commands . "test" ]
"quoted=" = 1
[commands]
'read' = [[
1], 2,
3]
inline = {a = 1, b = [1]}
[[more]]
[[more]]
x = 1
'''


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("scope",), 2),
        (("never",), 3),
        (("never", 0), 4),
        (("never", 1), 5),
        (("never", 2), 7),
        (("never", 3), 9),
        (("never", 4), 10),
        (("never", 9), 3),
        (("threshold",), 12),
        (("commands",), 14),
        (("commands", "build"), 14),
        (("commands", "build", 0), 14),
        (("commands", "test"), 15),
        (("commands", "test", "quoted="), 16),
        (("commands", "read"), 18),
        (("commands", "read", 0), 18),
        (("commands", "read", 1), 19),
        (("commands", "read", 2), 20),
        (("commands", "inline", "b"), 21),
        (("more",), 22),
        (("more", "x"), 24),
        (("contend",), 0),
        ((), 0),
    ],
)
def test_a_key_and_an_item_stand_on_their_line(path: tuple[str | int, ...], line: int) -> None:
    assert Lines(TEXT).of(path) == line
    assert Lines(TEXT.replace("\n", "\r\n")).of(path) == line


def test_the_example_is_toml() -> None:
    assert tomllib.loads(TEXT.replace(", 2,\n3]", "]").replace("[commands]", "[c]"))


@given(st.text(alphabet="a=[]{}\"'.,#\\ \n1", max_size=60))
def test_every_key_of_a_text_that_is_toml_has_its_line(text: str) -> None:
    lines = Lines(text)
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    for key in tables:
        if "\\" not in text:
            assert lines.of((key,)) > 0
