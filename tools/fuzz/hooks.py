"""What the fuzzer has to be told beyond the OpenAPI document."""

import schemathesis


@schemathesis.serializer("message/rfc822")
def raw_message(ctx, value):
    """A message is its bytes."""
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogatepass")
