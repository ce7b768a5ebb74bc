"""The book, `make docs`, as its readers see it in Debian's chromium; two lessons are run for it, the others shown without outputs."""

import os
import re
import subprocess
import sys
from functools import partial
from html import unescape
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import unquote, urlsplit

import pytest

from autograder import lesson as lessons
from autograder.course import load
from autograder.release import TRIVIAL
from tests.machinery.test_browser import ARGUMENTS, CHROMIUM

ROOT = Path(__file__).parents[2]
COURSE = load(ROOT)
RUN = [COURSE.find(key) for key in ("activations", "losses")]
KINDS = ("index", "about", "author", "learner", "glossary", "api", "search", RUN[0].name)  # one page of each
WIDTHS = (390, 900, 1400)  # of a phone, a tablet and a desk
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def site():
    """The site, whose building warns of nothing."""
    environment = os.environ | {"PYTHONPATH": f"build/reference{os.pathsep}."}
    command = [sys.executable, "-P", "-m", "docs.pages", *(module.slug for module in RUN)]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return ROOT / "build" / "docs"


@pytest.fixture(scope="module")
def pages(site):
    """The pages of the site as HTML, by their paths; in what Sphinx writes, text has no < and no quotes of its own."""
    return {
        path: path.read_text(encoding="utf-8")
        for path in sorted(site.rglob("*.html"))
        if "_static" not in path.parts
    }


def text(page: str) -> str:
    return unescape(re.sub(r"<[^>]*>", "", page))


def test_every_link_leads_to_a_page_and_a_place_on_it(pages):
    anchors = {
        path: {unescape(id) for id in re.findall(r'\sid="([^"]*)"', page)} for path, page in pages.items()
    }
    broken = set()
    for path, page in pages.items():
        for link in set(re.findall(r'<[^>]*\s(?:href|src)="([^"#]*#?[^"]*)"', page)) - {"#"}:
            target = urlsplit(unescape(link))
            place = (path.parent / unquote(target.path)).resolve() if target.path else path
            known = anchors.get(place, {target.fragment})
            if not target.scheme and not (place.exists() and unquote(target.fragment) in {*known, ""}):
                broken.add(f"{path.name}: {link}")
    assert not broken


def test_every_picture_says_in_words_what_it_shows(site, pages):
    pictures = {path: re.findall(r"<img\s[^>]*>", page) for path, page in pages.items()}
    assert not [
        image
        for found in pictures.values()
        for image in found
        if not re.search(r'alt="[^"]+"', image) or "Figure size" in image
    ]
    assert not [
        path
        for path, page in pages.items()
        if re.search(r"<svg(?![^>]*(aria-label|aria-hidden))[^>]*role", page)
    ]
    assert pictures[site / "lessons" / f"{RUN[0].name}.html"], "a lesson that is run shows what it draws"


def test_no_page_gives_an_answer_away(site, pages):
    assert not [path for path in site.rglob("*") if path.suffix in (".py", ".ipynb")]
    for module in COURSE.modules:
        lesson = lessons.read(module)
        answers = {
            line.strip() for stub in lesson.stubs for part in stub.regions for line in part.splitlines()
        }
        answers |= {
            line for cell in lesson.cells if cell.kind == "answer" for line in cell.source.splitlines()
        }
        shown = {
            line.strip() for cell in lesson.cells if cell.kind != "answer" for line in lessons.outside(cell)
        }
        shown = "\n".join(shown)
        secret = {line for line in answers if len(line) >= TRIVIAL and line not in shown}
        for path in pages:
            if path.stem == module.name:
                assert not secret & {line.strip() for line in text(pages[path]).splitlines()}, path.name


def test_no_page_names_a_place_of_this_machine(pages):
    assert not [path.name for path, page in pages.items() if str(ROOT) in page or "/tmp/" in page]


def test_tests_are_folded_up_and_hints_are_there(site, pages):
    for module in RUN:
        page = pages[site / "lessons" / f"{module.name}.html"]
        before, *tests = page.split('<span class="o">%%</span><span class="n">test</span>')
        assert len(tests) == len(lessons.read(module).stubs)
        for part in (before, *tests[:-1]):
            assert part.rfind("<details") > part.rfind("</details>"), "each test is in a closed block"
        assert page.count("<summary>") > 2 * len(tests), "and hints are too"


def test_the_map_leads_to_every_lesson(pages, site):
    drawing = re.search(r"<svg class=.course-map.*?</svg>", pages[site / "index.html"], re.DOTALL)[0]
    assert set(re.findall(r'href="([^"]*)"', drawing)) == {
        f"lessons/{module.name}.html" for module in COURSE.modules
    }


@pytest.fixture(scope="module")
def address(site):
    """Where the site is served."""
    handler = partial(SimpleHTTPRequestHandler, directory=site)
    handler.func.log_message = lambda *_: None
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture(scope="module")
def browser():
    playwright = pytest.importorskip("playwright.sync_api")
    if CHROMIUM is None:
        pytest.skip("chromium is not installed")
    with playwright.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_pages_fit_the_screen_have_no_errors_and_are_accessible(browser, address, site, pages, mode):
    from axe_playwright_python.sync_playwright import Axe

    wrong = []
    page = browser.new_context(color_scheme=mode, reduced_motion="reduce").new_page()
    page.on(
        "console", lambda said: wrong.append(f"{page.url}: {said.text}") if said.type == "error" else None
    )
    page.on("pageerror", lambda error: wrong.append(f"{page.url}: {error}"))
    for path in (path for path in pages if mode == "light" or path.stem in KINDS):
        page.goto(f"{address}/{path.relative_to(site).as_posix()}")
        assert page.evaluate("document.documentElement.dataset.theme") == mode
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            if (wide := page.evaluate("document.documentElement.scrollWidth")) > width:
                wrong.append(f"{path.name}: {wide} wide on a screen of {width}")
        if path.stem in KINDS:  # without preload, which asks for style sheets at other places
            for fault in (
                Axe()
                .run(page, options={"preload": False, "resultTypes": ["violations"]})
                .response["violations"]
            ):
                places = [node["html"][:160] for node in fault["nodes"]]
                wrong.append(f"{path.name}: {fault['id']}, {len(places)}: {places[0]}")
    assert not wrong, "\n".join(wrong)


def test_the_search_finds_a_lesson_and_a_name(browser, address):
    page = browser.new_page()
    for words, found in (("logsumexp", "activations"), ("cross_entropy", "losses")):
        page.goto(f"{address}/search.html?q={words}")
        page.locator("#search-results li a").first.wait_for()
        links = page.locator("#search-results li a").evaluate_all("links => links.map(link => link.href)")
        assert any(found in link for link in links)
