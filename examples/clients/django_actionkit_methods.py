"""The REST methods of django-actionkit-client (PyPI django-actionkit-client==0.21.3), one after the other, against a running platform.

    pip install django-actionkit-client==0.21.3
    API_STATUS_CODES=live npm start
    API_URL=http://127.0.0.1:8480 python examples/clients/django_actionkit_methods.py

API_STATUS_CODES=live, since put takes 204 alone. Run here without Django, as the package allows: what it reads from a copy of the database (its models,
unhide_report) and its XML-RPC client are not run, and dir() fails in the package itself.

Prints a line for each method and ends with 1 when one of them did not do what it promises. It leaves what it made behind.
"""

import os
import sys
import time

API_URL = os.environ.get("API_URL", "http://127.0.0.1:8480").rstrip("/")
os.environ["ACTIONKIT_API_HOST"] = API_URL.split("//")[1]
os.environ["ACTIONKIT_API_USER"] = os.environ.get("API_USERNAME", "admin")
os.environ["ACTIONKIT_API_PASSWORD"] = os.environ.get("API_PASSWORD", "admin-password")

from requests.adapters import HTTPAdapter  # noqa: E402

if API_URL.startswith("http://"):
    # The client speaks to https://<host> only, and wants to be answered so; a platform on this machine speaks plain HTTP.
    send_over_tls = HTTPAdapter.send

    def send(self, request, **kwargs):
        request.url = request.url.replace("https://", "http://", 1)
        response = send_over_tls(self, request, **kwargs)
        if "Location" in response.headers:
            response.headers["Location"] = response.headers["Location"].replace("http://", "https://", 1)
        return response

    HTTPAdapter.send = send

from actionkit import rest  # noqa: E402

STAMP = str(time.time_ns())
failures = []


def check(name, run):
    """Runs a method; what it gives is handed on. @returns None when it failed"""
    try:
        result = run()
        print(f"ok      {name}")
        return result
    except Exception as error:  # whatever the client raises is a finding
        failures.append(name)
        print(f"FAILED  {name}: {type(error).__name__} {str(error)[:300]}")
        return None


def equal(found, wanted):
    if found != wanted:
        raise AssertionError(f"{found!r} instead of {wanted!r}")
    return found


def number(id):
    return int(str(id).strip("/"))


def whole(user):
    """What was read, as it can be sent back: `id` is the method's own word."""
    return {name: value for name, value in user.items() if name != "id"}


# Resources, asking for their methods before each use, and not.
for safe in (False, True):
    client = rest.client(safety_net=safe)
    how = "with safety_net" if safe else "plainly"
    email = f"{'safe' if safe else 'plain'}-{STAMP}@example.org"
    user = check(f"create {how}", lambda: number(client.user.create(email=email, first_name="Ada")))
    check(f"get {how}", lambda: equal(client.user.get(user)["email"], email))
    check(f"exists {how}", lambda: equal(client.user.exists(user)["id"], user))
    check(f"patch {how}", lambda: (client.user.patch(user, last_name="Lovelace"), equal(client.user.get(user)["last_name"], "Lovelace")))
    check(f"put {how}", lambda: (client.user.put(user, **{**whole(client.user.get(user)), "city": "London"}), equal(client.user.get(user)["city"], "London")))
    check(f"list {how}", lambda: equal(client.user.list(email=email)["meta"]["total_count"], 1))
    check(f"fetch_all {how}", lambda: equal([each["id"] for each in client.user.fetch_all("", email=email)], [user]))
    check(f"request {how}", lambda: equal(client.user.request(f"{user}/")["email"], email))
    check(f"delete {how}", lambda: (client.user.delete(user), equal(client.user.exists(user), None)))

client = rest.client()
email = f"acts-{STAMP}@example.org"
page = f"join-{STAMP}"
check("create (page)", lambda: client.signuppage.create(name=page, title="Join", tags=None, fields=None))
action = check("create (action)", lambda: int(client.action.create(page=page, email=email, action_why="because", user_plan="free")))
check("get (action)", lambda: equal(client.action.get(action)["fields"], {"why": "because"}))
check("patch (typed action)", lambda: (client.signupaction.patch(action, source="script"), equal(client.signupaction.get(action)["source"], "script")))
check("create (eraser)", lambda: client.eraser.create(email=email, user_fields=True))
check("get (gone)", lambda: equal(client.user.exists(2_000_000_000), None))

# Reports.
check("run_query", lambda: equal(rest.run_query("select 1, 'a'"), [[1, "a"]]))
check("run_query (csv)", lambda: equal([dict(row) for row in rest.run_query("select 1 as one, 'a' as two", format="csv")], [{"one": "1", "two": "a"}]))
report = check("create_report", lambda: rest.create_report("select id from core_page where name = {{ page }}", "pages", f"Pages {STAMP}", f"pages-{STAMP}"))
task = check("run_report", lambda: rest.run_report(report["short_name"], data={"page": page}))


def finished():
    for _ in range(100):
        results = rest.poll_report(task)
        if results["completed"]:
            return equal(results["details"]["status"], "complete")
        time.sleep(0.2)
    raise AssertionError(results)


check("poll_report", finished)
check("delete_report", lambda: rest.delete_report(report["id"]))

print(f"\n{len(failures)} failed" + (f": {', '.join(failures)}" if failures else ""))
sys.exit(1 if failures else 0)
