"""A browser's page that is loaded again if the machine's network changed meanwhile."""

from __future__ import annotations

#: What Chromium says of a request that it dropped because an address of the machine came or went.
#: It drops those to 127.0.0.1 too.
NETWORK_CHANGED = "net::ERR_NETWORK_CHANGED"


def steady(page):
    """The page; its ``goto`` loads again, twice at most, if the machine's network changed."""
    goto = page.goto

    def load(url: str, **settings):
        for _ in range(3):
            dropped = []

            def note(request, dropped=dropped) -> None:
                if request.failure == NETWORK_CHANGED:
                    dropped.append(request.url)

            page.on("requestfailed", note)
            try:
                response = goto(url, **settings)
            except Exception as error:
                if NETWORK_CHANGED not in str(error):
                    raise
                dropped.append(url)
            finally:
                page.remove_listener("requestfailed", note)
            if not dropped:
                return response
            getattr(page, "faults", []).clear()
        raise AssertionError(f"the machine's network changed three times while {url} was loading")

    page.goto = load
    return page
