"""Check that links between our documents resolve: files exist, headings are there."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote

from deploy.local.config import ROOT

_LINK = re.compile(r"!?\[[^\]]*\]\(\s*<?([^)>\s]+)>?(?:\s+\"[^\"]*\")?\s*\)")
_CODE = re.compile(r"^(```|~~~).*?^\1[^\n]*$|`[^`\n]+`", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"^#{1,6}\s+(.+?)\s*#*$", re.MULTILINE)
_ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:")


def broken_links(page: Path) -> list[str]:
    """Each link of a page that leads nowhere. Addresses on the web are not looked at."""
    targets = _LINK.findall(_CODE.sub("", page.read_text()))
    return [target for target in targets if not _ELSEWHERE.match(target) and not _resolves(page, target)]


def slug(heading: str) -> str:
    """The anchor that GitHub gives a heading."""
    plain = re.sub(r"[`*]|\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
    return re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")


def _resolves(page: Path, target: str) -> bool:
    path, _, anchor = unquote(target).partition("#")
    file = (ROOT / path.lstrip("/") if path.startswith("/") else page.parent / path) if path else page
    if not file.exists():
        return False
    return not anchor or file.suffix != ".md" or anchor in _anchors(file)


def _anchors(page: Path) -> set[str]:
    fenced_out = re.sub(r"^(```|~~~).*?^\1[^\n]*$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    seen: dict[str, int] = {}
    anchors = set()
    for heading in _HEADING.findall(fenced_out):
        base = slug(heading)
        count = seen[base] = seen.get(base, -1) + 1
        anchors.add(f"{base}-{count}" if count else base)
    return anchors


def _pages() -> list[Path]:
    """Markdown in the work tree, without what git ignores."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", "*.md"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [path for name in sorted(set(listed.split("\0"))) if name and (path := ROOT / name).exists()]


def main() -> int:
    problems = [f"{page.relative_to(ROOT)}: {link}" for page in _pages() for link in broken_links(page)]
    for problem in problems:
        print(f"Broken link in {problem}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
