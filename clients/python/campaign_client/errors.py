"""What goes wrong, and the answers it is read from."""

from __future__ import annotations

import email.utils
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    """Names in small letters."""
    body: Any
    """JSON as what it says, anything else as text; None for nothing."""


class ApiError(Exception):
    """The platform refused a request, or could not do it."""

    def __init__(self, request: str, answer: Answer):
        self.status = answer.status
        # Messages by the field they are about; service, permission, body for what is about none. Empty where the answer had no body.
        self.errors = _messages(answer.body)
        self.body = answer.body
        # Of a 409, the object that holds what was to be taken; of a 3xx, where the platform is instead.
        self.location = answer.headers.get("location")
        self.retry_after = retry_after(answer)
        said = [f"{field}: {' '.join(messages)}" for field, messages in self.errors.items()]
        led = [f"it leads to {self.location}"] if answer.status < 400 and self.location else []
        super().__init__("; ".join([f"{request} was answered {answer.status}", *led, *said]))


class NoAnswerError(Exception):
    """There was no answer, with all retries. What was asked for changes nothing, or can be sent again. __cause__ has the last failure."""


class UncertainError(NoAnswerError):
    """Nobody knows whether the change was made, and sending it again might make it twice: look first. __cause__ has the failure."""

    def __init__(self, message: str, idempotency_key: str | None = None):
        """idempotency_key: of a push, the one it was sent with: sent again with the same, it is made once"""
        super().__init__(message)
        self.idempotency_key = idempotency_key


def is_away(failure: Exception) -> bool:
    """Whether the platform, or what stands before it, may soon answer what failed so."""
    return failure.status in (429, 502, 503, 504) if isinstance(failure, ApiError) else isinstance(failure, NoAnswerError)


def retry_after(answer: Answer) -> float | None:
    """Seconds, or None where the answer does not say."""
    said = answer.headers.get("retry-after", "")
    if said.isdigit():
        return float(said)
    try:
        return max(0.0, email.utils.parsedate_to_datetime(said).timestamp() - time.time())
    except ValueError:
        return None


def _messages(body: Any, field: str = "body", found: dict[str, list[str]] | None = None) -> dict[str, list[str]]:
    """Answers have messages under errors, under the resource's name, or by input object and field: here, by field."""
    found = {} if found is None else found
    if isinstance(body, dict):
        for name, inner in body.items():
            _messages(inner, name, found)
    elif body is not None and body != "":
        found.setdefault(field, []).extend(map(str, body if isinstance(body, list) else [body]))
    return found
