from __future__ import annotations

import pytest

from hostgate.core.sizes import parse_size, say_size


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("4096", 4096),
        ("2GB", 2 * 10**9),
        ("512 MiB", 512 * 2**20),
        ("1.5g", 15 * 10**8),
        (" 3 kB ", 3000),
        ("1TiB", 2**40),
        ("7b", 7),
    ],
)
def test_an_amount_is_a_number_and_a_unit(text: str, size: int) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["", "GB", "2XB", "-1", "1e9", "1..2", "2 G B", "two", "²GB"])
def test_anything_else_is_none(text: str) -> None:
    with pytest.raises(ValueError):
        parse_size(text)


@pytest.mark.parametrize(
    ("size", "said"),
    [(0, "0.0 kB"), (1500, "1.5 kB"), (10**6, "1.0 MB"), (16 * 10**9, "16 GB"), (5e12, "5000 GB")],
)
def test_an_amount_is_said_in_few_digits(size: float, said: str) -> None:
    assert say_size(size) == said
