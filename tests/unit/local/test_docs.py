"""Links between our documents."""

from __future__ import annotations

from pathlib import Path

import pytest

from deploy.local.docs import broken_links, slug


@pytest.fixture
def page(tmp_path: Path) -> Path:
    (tmp_path / "other.md").write_text(
        "# The `run` key, explained\n\n```\n# not a heading\n```\n\n## Twice\n\n## Twice\n"
    )
    return tmp_path / "page.md"


@pytest.mark.parametrize(
    "link",
    ["other.md", "other.md#the-run-key-explained", "other.md#twice-1", "#here", "https://example.org/x", "."],
)
def test_link_that_leads_somewhere_passes(page: Path, link: str) -> None:
    page.write_text(f"# Here\n\nSee [it]({link}).\n")

    assert broken_links(page) == []


@pytest.mark.parametrize("link", ["missing.md", "other.md#nowhere", "other.md#not-a-heading", "#there"])
def test_link_that_leads_nowhere_is_told(page: Path, link: str) -> None:
    page.write_text(f"# Here\n\nSee [it]({link}).\n")

    assert broken_links(page) == [link]


def test_links_in_code_are_not_links(page: Path) -> None:
    page.write_text("`[a](b)`\n\n```\n[c](d)\n```\n")

    assert broken_links(page) == []


def test_slug_is_the_one_github_makes() -> None:
    assert slug("What's new: `jobs` & *runs*") == "whats-new-jobs--runs"
