"""From nothing to a sent mailing, with a client generated from the OpenAPI document. How to make and run it: docs/tutorial.md."""

import os
import time

import httpx
from campaign_platform_client import Client
from campaign_platform_client.api.actions import action_create
from campaign_platform_client.api.mailer import mailer_create, mailer_progress, mailer_queue, mailer_rebuild, mailer_rebuild_status, mailer_results
from campaign_platform_client.api.pages import signuppage_create
from campaign_platform_client.api.users import list_create
from campaign_platform_client.models import ActionInput, MailerInput, MailinglistInput, SignuppageInput

login = httpx.BasicAuth(os.environ.get("API_USERNAME", "admin"), os.environ.get("API_PASSWORD", "admin-password"))
client = Client(base_url=os.environ.get("API_URL", "http://127.0.0.1:8480"), httpx_args={"auth": login})


def id_of(response):
    """The id in the Location of an answer to a POST; whatever was refused ends here, with the platform's words."""
    if response.status_code != 201:
        raise SystemExit(f"{response.status_code}: {response.content.decode()}")
    return response.headers["Location"].rstrip("/").rsplit("/", 1)[-1]


def finished(ask):
    """The document of a poll, once it says that it is finished."""
    while not (document := ask()).finished:
        time.sleep(0.2)
    return document


news = f"Python news {time.time_ns()}"
list_id = id_of(list_create.sync_detailed(client=client, body=MailinglistInput(name=news)))
page = f"python-signup-{list_id}"
id_of(signuppage_create.sync_detailed(client=client, body=SignuppageInput(name=page, list_=f"/rest/v1/list/{list_id}/")))
for name in ("Ada", "Grace"):
    person = ActionInput(page=page, email=f"{name.lower()}-{list_id}@example.org", first_name=name)
    id_of(action_create.sync_detailed(client=client, body=person))

mailing = MailerInput.from_dict(
    {
        "subjects": ["Hello from Python"],
        "html": '<p>Hello {{ user.first_name|default:"friend" }}</p>',
        "fromline": '"News" <news@example.org>',
        "includes": {"lists": [news]},
    }
)
mailing_id = int(id_of(mailer_create.sync_detailed(client=client, body=mailing)))
job = int(id_of(mailer_rebuild.sync_detailed(mailing_id, client=client)))
built = finished(lambda: mailer_rebuild_status.sync(mailing_id, job, client=client))
print(f"{built.results} people are in the target set")
mailer_queue.sync_detailed(mailing_id, client=client)
sent = finished(lambda: mailer_progress.sync(mailing_id, client=client))
print(f"{sent.progress} of {sent.expected_send_count} mails sent, status {sent.status}")
print(mailer_results.sync(mailing_id, client=client).to_dict())
