"""The methods of parsons' class ActionKit (PyPI parsons==6.1.0), one after the other, against a running platform.

    PARSONS_LIMITED_DEPENDENCIES=true pip install --no-binary=parsons parsons==6.1.0
    API_STATUS_CODES=live npm start
    API_URL=http://127.0.0.1:8480 python examples/clients/parsons_methods.py

API_STATUS_CODES=live, since delete_user_data takes an erasure for done only when it is answered 201.

Prints a line for each method and ends with 1 when one of them did not do what it promises. It leaves what it made behind.
"""

import io
import os
import sys
import time
import warnings

warnings.simplefilter("ignore")
from parsons import ActionKit, Table  # noqa: E402
from requests.adapters import HTTPAdapter  # noqa: E402

API_URL = os.environ.get("API_URL", "http://127.0.0.1:8480").rstrip("/")
STAMP = str(time.time_ns())


class PlainHttp(HTTPAdapter):
    """The client speaks to https://<domain> only; a platform on this machine speaks plain HTTP."""

    def send(self, request, **kwargs):
        request.url = request.url.replace("https://", "http://", 1)
        return super().send(request, **kwargs)


class Platform(ActionKit):
    def _conn(self, *headers):
        session = super()._conn(*headers)
        if API_URL.startswith("http://"):
            session.mount("https://", PlainHttp())
        return session


client = Platform(API_URL.split("//")[1], os.environ.get("API_USERNAME", "admin"), os.environ.get("API_PASSWORD", "admin-password"))
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


def id_of(location):
    return int(str(location).rstrip("/").rsplit("/", 1)[-1])


def raw(method, path, body=None, codes=(200, 201, 202, 204)):
    """A request the client has no method for."""
    answer = client.conn.request(method, f"{API_URL}/rest/v1/{path}", json=body)
    if answer.status_code not in codes:
        raise AssertionError(f"{method} {path}: {answer.status_code} {answer.text[:300]}")
    return answer


# People.
email = f"ada-{STAMP}@example.org"
user = check("create_user", lambda: id_of(client.create_user(email, first_name="Ada", last_name="Lovelace")))
check("get_user", lambda: equal(client.get_user(user)["email"], email))
check("get_user_fields", lambda: equal("email" in client.get_user_fields(), True))
check("update_user", lambda: (client.update_user(user, last_name="King"), equal(client.get_user(user)["last_name"], "King")))
phone = check("add_phone", lambda: id_of(client.add_phone(user, "home", "+1 212 555 0100")))
check("update_phone", lambda: (client.update_phone(phone, type="mobile"), equal(raw("GET", f"phone/{phone}/").json()["type"], "mobile")))
check("blackhole_email", lambda: client.blackhole_email(f"never-{STAMP}@example.org"))
check("get_blackholed_email", lambda: equal(client.get_blackholed_email(f"never-{STAMP}@example.org").num_rows, 1))

# Pages and actions.
raw("POST", "list/", {"name": f"News {STAMP}"})
page = f"join-{STAMP}"
page_id = id_of(raw("POST", "signuppage/", {"name": page}).headers["Location"])
action = check("create_generic_action", lambda: client.create_generic_action(page, email=email, first_name="Ada"))
check("create_page_followup", lambda: client.create_page_followup(page_id, "https://example.org/thanks"))
check("get_page_followup_fields", lambda: equal("url" in client.get_page_followup_fields(), True))
check("get_page_followup", lambda: equal(client.get_page_followup(id_of(raw("GET", f"signuppage/{page_id}/").json()["followup"]["resource_uri"]))["url"], "https://example.org/thanks"))

# Events.
campaign = check("create_campaign", lambda: id_of(client.create_campaign(f"campaign-{STAMP}", title="Summer")))
check("get_campaign", lambda: equal(client.get_campaign(campaign)["name"], f"campaign-{STAMP}"))
check("get_campaign_fields", lambda: equal("name" in client.get_campaign_fields(), True))
create_page = check("create_event_create_page", lambda: id_of(client.create_event_create_page(f"create-{STAMP}", campaign, "Host one")))
check("get_event_create_page", lambda: equal(client.get_event_create_page(create_page)["name"], f"create-{STAMP}"))
check("get_event_create_page_fields", lambda: client.get_event_create_page_fields())
signup_page = check("create_event_signup_page", lambda: id_of(client.create_event_signup_page(f"signup-{STAMP}", campaign, "Come along")))
check("get_event_signup_page", lambda: equal(client.get_event_signup_page(signup_page)["name"], f"signup-{STAMP}"))
check("get_event_signup_page_fields", lambda: client.get_event_signup_page_fields())
for kind, on, form_of, read, fields in [
    ("create", create_page, client.create_event_create_form, client.get_event_create_form, client.get_event_create_form_fields),
    ("signup", signup_page, client.create_event_signup_form, client.get_event_signup_form, client.get_event_signup_form_fields),
]:
    form = check(f"create_event_{kind}_form", lambda: id_of(form_of(on, "<p>Thanks</p>")))
    check(f"get_event_{kind}_form", lambda: equal(read(form)["thank_you_text"], "<p>Thanks</p>"))
    check(f"get_event_{kind}_form_fields", lambda: equal("thank_you_text" in fields(), True))
event = check("event (POST)", lambda: id_of(raw("POST", "event/", {"campaign": f"/rest/v1/campaign/{campaign}/", "title": "Picnic", "creator": f"/rest/v1/user/{user}/"}).headers["Location"]))
check("get_event", lambda: equal(client.get_event(event)["title"], "Picnic"))
check("get_events", lambda: client.get_events(campaign_id=campaign))
check("update_event", lambda: (client.update_event(event, title="Big picnic"), equal(client.get_event(event)["title"], "Big picnic")))
made = check("create_event_field", lambda: id_of(client.create_event_field(event, "kind", "canvass")))
check("update_event_field", lambda: (client.update_event_field(made, "kind", "picnic"), equal(client.get_event(event)["fields"], {"kind": "picnic"})))
check("search_events_in_campaign", lambda: equal(client.search_events_in_campaign(campaign, state="XX").num_rows, 0))
check("search_events_in_campaign (fields)", lambda: equal(client.search_events_in_campaign(campaign, filters={"title": "Big picnic", "field__name": "kind", "field__value": "picnic"}).num_rows, 1))
check("search_events_in_campaign (exclude)", lambda: equal(client.search_events_in_campaign(campaign, filters={"title": "Big picnic"}, exclude={"creator__email": email}).num_rows, 0))
check("search_events_in_campaign (filters)", lambda: equal(client.search_events_in_campaign(campaign, filters={"state": "XX"}).num_rows, 0))

# Donations.
push = {
    "donationpage": {"name": f"give-{STAMP}"},
    "order": {"amount": "10.00", "card_num": "4111111111111111", "card_code": "007", "exp_date_month": "12", "exp_date_year": "2035", "recurring_id": f"r-{STAMP}"},
    "user": {"email": email},
}
donation = raw("POST", "donationpush/", push).json()
order = donation["order"]["id"]
profile = check("orderrecurring of the order", lambda: raw("GET", f"orderrecurring/?order={order}").json()["objects"][0]["id"])
check("get_order", lambda: equal(client.get_order(order)["total"], "10.00"))
check("get_orders", lambda: equal(client.get_orders(user=user).num_rows >= 1, True))
check("update_order", lambda: (client.update_order(order, import_id=f"imported-{STAMP}"), equal(client.get_order(order)["import_id"], f"imported-{STAMP}")))
check("update_order_user_detail", lambda: equal(client.update_order_user_detail(id_of(client.get_order(order)["user_detail"]), first_name="Countess").status_code, 202))
check("get_orderrecurring", lambda: equal(client.get_orderrecurring(profile)["recurring_id"], f"r-{STAMP}"))
check("update_orderrecurring", lambda: (client.update_orderrecurring(profile, exp_date="0136"), equal(client.get_orderrecurring(profile)["exp_date"], "0136")))
transaction = check("create_transaction", lambda: id_of(client.create_transaction(order=f"/rest/v1/order/{order}/", account="Default Import Stub", amount="10.00", type="sale", status="completed", success=True)))
check("update_transaction", lambda: (client.update_transaction(transaction, trans_id=f"t-{STAMP}"), equal(raw("GET", f"transaction/{transaction}/").json()["trans_id"], f"t-{STAMP}")))
check("get_transactions", lambda: equal(client.get_transactions(order=order).num_rows >= 1, True))
check("cancel_orderrecurring", lambda: equal(client.cancel_orderrecurring(profile).status_code, 202))

# Mailings.
mailing = {"subjects": ["Hello"], "html": "<p>Hello</p>", "fromline": '"News" <news@example.org>', "includes": {"lists": [f"News {STAMP}"]}}
mailer = check("create_mailer", lambda: id_of(client.create_mailer(**mailing)))
check("get_mailer", lambda: equal(client.get_mailer(mailer)["subjects"], ["Hello"]))
check("update_mailing", lambda: equal(client.update_mailing(mailer, notes="from parsons").status_code, 202))
check("copy_mailer", lambda: equal(client.copy_mailer(mailer).status_code, 201))
check("rebuild_mailer", lambda: client.rebuild_mailer(mailer))

# Uploads.
raw("POST", "importpage/", {"name": f"import-{STAMP}"})
people = Table([{"email": f"import-{n}-{STAMP}@example.org", "first_name": "Import", "user_plan": "free"} for n in range(3)])
uploaded = check("bulk_upload_table", lambda: client.bulk_upload_table(people, f"import-{STAMP}", autocreate_user_fields=1))
check("bulk_upload_table (was taken)", lambda: equal(uploaded["success"], True))
check("collect_upload_errors", lambda: equal(client.collect_upload_errors(uploaded["results"]), []))
wrong = Table([{"email": f"no address {n}"} for n in range(25)])
refused = check("bulk_upload_table (wrong lines)", lambda: client.bulk_upload_table(wrong, f"import-{STAMP}"))
check("collect_upload_errors (all of them)", lambda: equal(len(client.collect_upload_errors(refused["results"])), 25))
check("bulk_upload_csv", lambda: equal(client.bulk_upload_csv(io.BytesIO(f"email\nanother-{STAMP}@example.org\n".encode()), f"import-{STAMP}")["success"], True))

# Collections, and ends.
check("paginated_get", lambda: equal(client.paginated_get("user", limit=2).num_rows, 2))
check("paginated_get (all pages)", lambda: equal(client.paginated_get("page").num_rows, raw("GET", "page/").json()["meta"]["total_count"]))
check("paginated_get_custom_limit", lambda: client.paginated_get_custom_limit("user", limit=3, threshold_field="id", threshold_value=10_000_000))
check("delete_user_data", lambda: client.delete_user_data(email))
check("delete_user", lambda: (client.delete_user(user), raw("GET", f"user/{user}/", codes=(404,))))

print(f"\n{len(failures)} failed" + (f": {', '.join(failures)}" if failures else ""))
sys.exit(1 if failures else 0)
