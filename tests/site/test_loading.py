"""A page is loaded again if the machine's network changed meanwhile, and only then."""

from __future__ import annotations

from pathlib import Path

import pytest
import steady
from live_site import new_page, offline

pytestmark = pytest.mark.browser

HTML = "text/html"


def drops(page, times: int) -> list[str]:
    """Have the script of a small page dropped `times` times; return what is asked for."""
    asked = []

    def answer(route) -> None:
        asked.append(route.request.url)
        if not asked[-1].endswith(".js"):
            route.fulfill(body="<script src='a.js'></script>", content_type=HTML)
        elif sum(url.endswith(".js") for url in asked) <= times:
            route.abort("connectionreset")
        else:
            route.fulfill(body="window.arrived = true", content_type="text/javascript")

    page.route("**/*", answer)
    return asked


@pytest.fixture
def dropped_is_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A network cannot be changed here: another cause of dropped requests stands for it."""
    monkeypatch.setattr(steady, "NETWORK_CHANGED", "net::ERR_CONNECTION_RESET")


def test_a_page_whose_requests_were_dropped_is_loaded_again(chromium, dropped_is_changed) -> None:
    with new_page(chromium) as page:
        asked = drops(page, 1)
        page.goto("http://127.0.0.1/")
        assert page.evaluate("window.arrived") and not page.faults
        assert len(asked) == 4


def test_a_network_that_goes_on_changing_is_told(chromium, dropped_is_changed) -> None:
    with new_page(chromium) as page:
        drops(page, 9)
        with pytest.raises(AssertionError, match="network changed three times"):
            page.goto("http://127.0.0.1/")


def test_another_failure_stays_a_fault(chromium) -> None:
    with new_page(chromium) as page:
        asked = drops(page, 1)
        page.goto("http://127.0.0.1/")
        assert "net::ERR_CONNECTION_RESET: http://127.0.0.1/a.js" in page.faults
        assert len(asked) == 2


def test_what_a_page_drops_as_it_is_loaded_again_is_no_fault(chromium) -> None:
    """Chromium says of such a request too that it failed."""
    with new_page(chromium) as page:
        left = []
        page.on("requestfailed", lambda request: left.append(request.failure))
        page.route("**/*.js", lambda route: None)  # never answered
        page.route("**/", lambda r: r.fulfill(body="<script src=a.js></script>", content_type=HTML))
        for _ in range(2):  # each time until the script is asked for
            with page.expect_request("**/a.js"):
                page.goto("http://127.0.0.1/", wait_until="commit")
        assert set(left) == {"net::ERR_ABORTED"} and not page.faults


def test_a_file_that_is_not_there_is_a_fault(chromium, tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("<img src=absent.svg>", "utf-8")
    with offline(chromium) as page:
        page.goto((tmp_path / "index.html").as_uri())
        absent = (tmp_path / "absent.svg").as_uri()
        assert f"net::ERR_FILE_NOT_FOUND: {absent}" in page.faults
