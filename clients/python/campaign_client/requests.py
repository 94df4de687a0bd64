"""Requests that are sent again where they may be."""

from __future__ import annotations

import base64
import http.client
import json
import random
import re
import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from .errors import Answer, ApiError, NoAnswerError, UncertainError, is_away
from .keyed import KEYED

_LONGEST_PAUSE = 30.0


class _NotSent(Exception):
    """There was no connection."""


@dataclass(frozen=True)
class Form:
    """A multipart form of texts and one file."""

    fields: Mapping[str, str]
    file_field: str
    filename: str
    content: bytes

    def encoded(self) -> tuple[str, bytes]:
        """Its content type, and its bytes."""
        boundary = uuid.uuid4().hex
        head = f"--{boundary}\r\nContent-Disposition: form-data; name="
        texts = "".join(f'{head}"{_quoted(name)}"\r\n\r\n{value}\r\n' for name, value in self.fields.items())
        file = f'{head}"{self.file_field}"; filename="{_quoted(self.filename)}"\r\nContent-Type: text/csv\r\n\r\n'
        return f"multipart/form-data; boundary={boundary}", (texts + file).encode() + self.content + f"\r\n--{boundary}--\r\n".encode()


def _quoted(text: str) -> str:
    """As browsers write names of forms."""
    return text.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")


class Requests:
    def __init__(self, url: str, username: str, password: str, attempts: int, first_pause: float, timeout: float):
        self._url = urlsplit(url.rstrip("/"))
        if self._url.scheme not in ("http", "https") or not self._url.hostname:
            raise ValueError(f"not an address like https://campaign.example.org: {url}")
        self._authorization = "Basic " + base64.b64encode(f"{username}:{password}".encode()).decode()
        self._attempts, self._first_pause, self._timeout = attempts, first_pause, timeout

    def send(self, method: str, address: str, data: Any, idempotency_key: str | None) -> Answer:
        """Sends a request, and again where it may: after a failure that is known to have changed nothing, or where doing it twice is doing it once.

        address: path below /rest/v1/, or an address the platform gave; of it only the path counts, for credentials go to no other place
        """
        method, path = method.upper(), _path_of(address)
        request = f"{method} {path}"
        kind, body = data.encoded() if isinstance(data, Form) else ("application/json", None if data is None else json.dumps(data).encode())
        keyed = method == "POST" and _takes_key(path)
        if keyed and not idempotency_key:
            idempotency_key = str(uuid.uuid4())
        repeatable = method != "POST" or keyed
        maybe_done = False
        for attempt in range(1, self._attempts + 1):
            failure: Exception
            try:
                answer = self._once(method, path, kind, body, idempotency_key)
                if _is_done(answer):
                    return answer
                failure = ApiError(request, answer)
                if not is_away(failure):
                    # What was to go was gone already by the attempt nobody answered.
                    if method == "DELETE" and maybe_done and answer.status == 404:
                        return answer
                    # And what changed meanwhile (targeting_version) was changed by that attempt, or by somebody else.
                    if method != "POST" and maybe_done and answer.status == 409:
                        raise _uncertain(request) from failure
                    raise failure
            except http.client.InvalidURL:
                raise
            except (OSError, http.client.HTTPException, json.JSONDecodeError, UnicodeDecodeError, _NotSent) as error:
                failure = error
            uncertain = _is_uncertain(failure)
            maybe_done = maybe_done or uncertain
            if uncertain and not repeatable:
                raise _uncertain(request) from failure
            if attempt < self._attempts:
                self._pause(attempt, failure)
        if method == "POST" and maybe_done:
            raise _uncertain(request, idempotency_key) from failure
        if isinstance(failure, ApiError):
            raise failure
        raise NoAnswerError(f"{request}: no answer in {self._attempts} attempts") from failure

    def _once(self, method: str, path: str, content_type: str, body: bytes | None, idempotency_key: str | None) -> Answer:
        headers = {"Authorization": self._authorization}
        if body is not None:
            headers["Content-Type"] = content_type
        if idempotency_key is not None:
            headers["Idempotency-Key"] = idempotency_key
        kind = http.client.HTTPSConnection if self._url.scheme == "https" else http.client.HTTPConnection
        connection = kind(self._url.hostname or "", self._url.port, timeout=self._timeout)
        try:
            try:
                connection.connect()
            except OSError as error:
                raise _NotSent(str(error)) from error
            connection.request(method, self._url.path + path, body, headers)
            response = connection.getresponse()
            text = response.read().decode()
        finally:
            connection.close()
        found = {name.lower(): value for name, value in response.getheaders()}
        is_json = text != "" and "json" in found.get("content-type", "")
        return Answer(response.status, found, json.loads(text) if is_json else text or None)

    def _pause(self, attempt: int, failure: Exception) -> None:
        # Spread, so that many clients that were cut off together do not come back together.
        grown = min(self._first_pause * 2 ** (attempt - 1), _LONGEST_PAUSE) * random.uniform(0.75, 1.25)
        asked = failure.retry_after if isinstance(failure, ApiError) else None
        time.sleep(grown if asked is None else asked)


def _path_of(address: str) -> str:
    path = re.sub(r"^https?://[^/]+", "", address)
    # A filter may name an object by its address.
    start = path.partition("?")[0].find("/rest/v1/")
    return "/rest/v1/" + path.lstrip("/") if start == -1 else path[start:]


def _takes_key(path: str) -> bool:
    """Whether the platform knows a POST by its key when it is sent again."""
    parts = path.partition("?")[0].split("/")[3:]
    return any(len(each) == len(parts) and all(word in ("*", part) for word, part in zip(each, parts)) for each in KEYED)


def _is_done(answer: Answer) -> bool:
    """Whoever leads elsewhere (http to https, a login page) has done nothing; 303 alone says that it is done, and where to see it."""
    return answer.status < 300 or (answer.status == 303 and "/rest/v1/" in answer.headers.get("location", ""))


def _uncertain(request: str, key: str | None = None) -> UncertainError:
    again = f"; it can be sent again with the Idempotency-Key {key}" if key else ""
    return UncertainError(f"{request}: nobody knows whether it was done{again}", key)


def _is_uncertain(failure: Exception) -> bool:
    """Whether the request may have been carried out. The platform's own 503 says so in words, where it is so."""
    if isinstance(failure, ApiError):
        return failure.status in (502, 504) or "may have been" in str(failure)
    return not isinstance(failure, _NotSent)
