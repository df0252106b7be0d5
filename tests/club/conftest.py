"""The browser of the page's tests, for the hub's."""

from tests.page.conftest import browser

__all__ = ["browser"]
