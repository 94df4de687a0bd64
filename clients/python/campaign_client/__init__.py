"""The REST API of the campaign platform, with the standard library alone.

    client = CampaignClient.from_environment()  # API_URL, API_USERNAME, API_PASSWORD
    for user in client.list("user", email__icontains="@example.org"):
        print(user["email"])
"""

from __future__ import annotations

import math
import os
import re
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypedDict
from urllib.parse import parse_qsl, quote, urlencode

from .errors import Answer, ApiError, NoAnswerError, UncertainError, is_away, retry_after
from .requests import Form, Requests

__all__ = ["Answer", "ApiError", "CampaignClient", "Created", "Meta", "NoAnswerError", "Page", "UncertainError"]

Json = dict[str, Any]

# By resource, what its form calls the file.
_FILE_FIELD = {"upload": "upload", "mergefile": "file"}
# Resources without a filter by id.
_BY_OFFSET = ("sentmail", "usermailing")
_FIRST_POLL, _LONGEST_POLL = 0.1, 5.0
# Seconds for which whoever polls waits for a platform that has answered before: longer than it takes to start it anew.
_LONGEST_OUTAGE = 600.0
_UNFINISHED = ("pending", "running", "new", "importing")


class Meta(TypedDict):
    limit: int
    offset: int
    total_count: int
    next: str | None
    previous: str | None


class Page(TypedDict):
    meta: Meta
    objects: list[Json]


@dataclass(frozen=True)
class Created:
    """What a POST made."""

    uri: str
    """Its address, which get, poll and others take; empty where there is none."""
    id: int | None
    body: Any


class CampaignClient:
    """Every method raises ApiError, NoAnswerError or UncertainError. Threads may share a client."""

    def __init__(self, url: str, username: str, password: str, *, attempts: int = 5, first_pause: float = 0.25, timeout: float = 60.0):
        """
        attempts: times one request is sent at most
        first_pause: seconds before the second attempt; doubled before each further one, up to 30
        timeout: seconds an answer is waited for
        """
        self._requests = Requests(url, username, password, attempts, first_pause, timeout)

    @classmethod
    def from_environment(cls, **options: Any) -> CampaignClient:
        """A client as API_URL, API_USERNAME and API_PASSWORD say; KeyError names the one that is missing."""
        return cls(os.environ["API_URL"], os.environ["API_USERNAME"], os.environ["API_PASSWORD"], **options)

    def list(self, resource: str, **filters: Any) -> Iterator[Json]:
        """All objects that the filters let through (email__icontains="example", order_by="-id"), each page asked for when it is reached.

        In the order of ids, either way, none is left out however many are deleted, changed or added meanwhile, also by who reads them; in another
        order what leaves a page shifts those behind it.
        """
        page = self.page(resource, **{"_limit": 100, **filters})
        while True:
            following = _behind(resource, filters, page)
            yield from page["objects"]
            if following is None:
                return
            page = self.request("GET", following).body

    def page(self, resource: str, **filters: Any) -> Page:
        """One page, with how many objects there are in all."""
        query = urlencode({name: _written(value) for name, value in filters.items()})
        return self.request("GET", f"{resource}/" + (f"?{query}" if query else "")).body

    def get(self, resource: str, id: int | str) -> Json:
        return self.request("GET", f"{resource}/{quote(str(id), safe='')}/").body

    def create(self, resource: str, data: Mapping[str, Any], *, idempotency_key: str | None = None) -> Created:
        """Makes an object. It carries an Idempotency-Key, a new one unless it is given, and is sent again when no answer comes; where none comes at all,
        UncertainError has the key."""
        return _made(self.request("POST", f"{resource}/", data, idempotency_key=idempotency_key))

    def upload(self, resource: str, content: bytes, filename: str, **fields: Any) -> Created:
        """Sends a CSV file: people to import (upload("upload", content, "people.csv", page="import"), then poll its uri), or what a mailing shows of each
        (upload("mergefile", content, "seats.csv"))."""
        form = Form({name: _written(value) for name, value in fields.items()}, _FILE_FIELD[resource], filename, content)
        return _made(self.request("POST", f"{resource}/", form))

    def update(self, resource: str, id: int | str, change: Mapping[str, Any]) -> None:
        """Changes the fields that are given and no others."""
        self.request("PATCH", f"{resource}/{quote(str(id), safe='')}/", change)

    def delete(self, resource: str, id: int | str) -> None:
        self.request("DELETE", f"{resource}/{quote(str(id), safe='')}/")

    def start(self, path: str, data: Mapping[str, Any] | None = None) -> str:
        """Asks for what an address beside those of objects does: start("mailer/7/rebuild/"). Returns where to poll."""
        return _made(self.request("POST", path, data)).uri

    def poll(self, address: str, *, seen: Callable[[Json], object] | None = None, timeout: float | None = None) -> Json:
        """Reads a poll document until it says it is finished: of a rebuild, proofs, a mailing's progress, a merge, an upload, a report in the background.
        What it tells of goes on where the API is started anew, so a platform that has answered once may be away for ten minutes.

        seen: is shown each document; timeout: seconds after which TimeoutError is raised
        """
        give_up = None if timeout is None else time.monotonic() + timeout
        wait, heard_at = _FIRST_POLL, -math.inf
        while True:
            asked = None
            try:
                answer = self.request("GET", address)
            except (ApiError, NoAnswerError) as failure:
                if not is_away(failure) or time.monotonic() - heard_at > _LONGEST_OUTAGE:
                    raise
            else:
                heard_at, asked = time.monotonic(), retry_after(answer)
                if seen:
                    seen(answer.body)
                if _is_finished(answer.body, address):
                    return answer.body
            if give_up is not None and time.monotonic() > give_up:
                raise TimeoutError(f"{address} is not finished after {timeout} seconds")
            time.sleep(wait if asked is None else asked)
            wait = min(wait * 1.5, _LONGEST_POLL)

    def request(self, method: str, address: str, data: Any = None, *, idempotency_key: str | None = None) -> Answer:
        """Any request of the API.

        address: path below /rest/v1/, or an address the platform gave
        idempotency_key: by which the platform knows a POST that is sent again; a new one unless it is given, where the platform looks at it
        """
        return self._requests.send(method, address, data, idempotency_key)


def _behind(resource: str, filters: Mapping[str, Any], page: Page) -> str | None:
    """The address of the page behind one: from its last object on, where the order is that of ids, for offsets count what may be gone by then."""
    following, objects = page["meta"]["next"], page["objects"]
    past = {"id": "id__gt", "-id": "id__lt"}.get(_written(filters.get("order_by", "id")))
    if following is None or past is None or resource in _BY_OFFSET or "/" in resource or not objects or "id" not in objects[-1]:
        return following
    path, _, query = following.partition("?")
    parameters = parse_qsl(query, keep_blank_values=True)
    # The platform's own word for the same.
    if any(name == "_after" for name, _ in parameters):
        return following
    kept = [(name, value) for name, value in parameters if name not in ("_offset", past)]
    # Of all that are left, for each page anew, a count would cost more than the pages.
    count = [] if any(name == "_count" for name, _ in kept) else [("_count", "estimate")]
    return f"{path}?{urlencode([*kept, (past, objects[-1]['id']), *count])}"


def _written(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return ",".join(map(str, value)) if isinstance(value, (list, tuple, set)) else str(value)


def _made(answer: Answer) -> Created:
    uri = re.sub(r"^https?://[^/]+", "", answer.headers.get("location", ""))
    number = re.search(r"/(\d+)/$", uri)
    return Created(uri, int(number[1]) if number else None, answer.body)


def _is_finished(document: Any, address: str) -> bool:
    known = document if isinstance(document, dict) else {}
    if isinstance(known.get("finished"), bool):
        return known["finished"]
    if not isinstance(known.get("status"), str):
        raise TypeError(f"{address} is not the address of a poll document")
    return known["status"] not in _UNFINISHED
