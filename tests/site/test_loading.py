"""A page is loaded again if the machine's network changed meanwhile, and only then."""

from __future__ import annotations

import pytest
import steady
from live_site import new_page

pytestmark = pytest.mark.browser


def drops(page, times: int) -> list[str]:
    """Have the script of a small page dropped `times` times; return what is asked for."""
    asked = []

    def answer(route) -> None:
        asked.append(route.request.url)
        if not asked[-1].endswith(".js"):
            route.fulfill(body="<script src='a.js'></script>", content_type="text/html")
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
        assert "request failed: http://127.0.0.1/a.js" in page.faults
        assert len(asked) == 2
