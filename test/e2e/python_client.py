"""The Python client over a line that loses answers; run by clients.test.ts."""

import time
import unittest

from campaign_client import ApiError, CampaignClient, NoAnswerError, UncertainError

client = CampaignClient.from_environment(first_pause=0.02)


class PythonClient(unittest.TestCase):
    def test_goes_through_users_page_by_page(self):
        emails = [f"walked{n}@example.org" for n in range(25)]
        for email in emails:
            client.create("user", {"email": email})
        found = [user["email"] for user in client.list("user", email__startswith="walked", _limit=10, order_by="id")]
        self.assertEqual(found, emails)
        for order in (["-id"], ["source", "-id"]):
            found = [user["email"] for user in client.list("user", email__startswith="walked", _limit=10, order_by=order)]
            self.assertEqual(found, emails[::-1])
        self.assertEqual(client.page("user", email__in=emails[:2])["meta"]["total_count"], 2)

    def test_leaves_nobody_out_while_those_before_are_deleted_or_no_longer_match(self):
        for order in ({}, {"order_by": "-id"}):
            for n in range(7):
                client.create("user", {"email": f"pyleaving{n}@example.org", "source": "pyleaving"})
            left = []
            for user in client.list("user", source="pyleaving", id__gt=0, _limit=2, **order):
                left.append(user["email"])
                if len(left) % 2:
                    client.delete("user", user["id"])
                else:
                    client.update("user", user["id"], {"source": "left", "email": f"{len(order)}{user['email']}"})
            self.assertEqual(len(set(left)), 7)

    def test_makes_reads_changes_and_deletes(self):
        made = client.create("list", {"name": "Python"})
        self.assertEqual(made.uri, f"/rest/v1/list/{made.id}/")
        client.update("list", made.id, {"notes": "changed"})
        self.assertEqual(client.get("list", made.id)["notes"], "changed")
        client.delete("list", made.id)
        with self.assertRaises(ApiError) as gone:
            client.get("list", made.id)
        self.assertEqual((gone.exception.status, gone.exception.errors), (404, {}))

    def test_raises_what_is_refused_by_field(self):
        made = client.create("user", {"email": "python-taken@example.org"})
        with self.assertRaises(ApiError) as taken:
            client.create("user", {"email": "python-taken@example.org"})
        self.assertEqual(taken.exception.status, 409)
        self.assertTrue(taken.exception.location.endswith(made.uri))
        with self.assertRaises(ApiError) as missing:
            client.create("user", {"first_name": "Ada"})
        self.assertEqual((missing.exception.status, list(missing.exception.errors)), (400, ["email"]))

    def test_waits_for_what_a_poll_ends_with(self):
        list_id = client.create("list", {"name": "Python polled"}).id
        client.create("signuppage", {"name": "python-join", "list": f"/rest/v1/list/{list_id}/"})
        client.create("action", {"page": "python-join", "email": "grace@example.org"})
        mailing = {"subjects": ["Hello"], "html": "<p>Hello</p>", "fromline": "News <news@example.org>", "includes": {"lists": ["Python polled"]}}
        made = client.create("mailer", mailing)
        built = client.poll(client.start(f"mailer/{made.id}/rebuild/"), timeout=60)
        self.assertEqual((built["finished"], built["success"], built["results"]), (True, True, 1))
        with self.assertRaises(TypeError):
            client.poll(f"list/{list_id}/")

    def test_sends_files_and_waits_until_they_are_read(self):
        client.create("importpage", {"name": "python-import"})
        people = "email,first_name\npyfile1@example.org,Zoë\npyfile2@example.org,Grace\n".encode()
        done = client.poll(client.upload("upload", people, 'a "list".csv', page="python-import", autocreate_user_fields=True).uri, timeout=60)
        self.assertEqual(done["status"], "completed", done)
        self.assertEqual([user["first_name"] for user in client.list("user", email__startswith="pyfile", order_by="id")], ["Zoë", "Grace"])
        made = client.upload("mergefile", b"email,seat\npyfile1@example.org,7\n", "seats.csv", name="Python seats")
        self.assertEqual(client.get("mergefile", made.id)["name"], "Python seats")
        with self.assertRaises(ApiError) as wrong:
            client.upload("upload", people, "people.csv", page="nowhere")
        self.assertEqual((wrong.exception.status, list(wrong.exception.errors)), (400, ["page"]))

    def test_asks_again_where_it_may_and_makes_nothing_twice(self):
        order = {"amount": "10.00", "card_num": "4111111111111111", "card_code": "007", "exp_date_month": "12", "exp_date_year": "2031"}
        donor = {"email": "python-lost@example.org", "first_name": "Dora", "last_name": "Donor"}
        push = {"donationpage": {"name": "python-lost"}, "order": order, "user": donor}
        answered = client.create("donationpush", push).body
        orders = client.page("order", user__email="python-lost@example.org")
        self.assertEqual([each["resource_uri"] for each in orders["objects"]], [answered["order"]["resource_uri"]])
        made = client.create("list", {"name": "python lost or not"})
        self.assertEqual([each["id"] for each in client.page("list", name="python lost or not")["objects"]], [made.id])

    def test_says_by_which_key_a_push_that_may_have_been_made_is_sent_again(self):
        order = {"amount": "10.00", "card_num": "4111111111111111", "card_code": "007", "exp_date_month": "12", "exp_date_year": "2031"}
        push = {"donationpage": {"name": "python-lost"}, "order": order, "user": {"email": "python-lost-whole@example.org", "name": "Dora Donor"}}
        once = CampaignClient.from_environment(attempts=1)
        with self.assertRaises(UncertainError) as lost:
            once.create("donationpush", push)
        self.assertTrue(lost.exception.idempotency_key)
        once.create("donationpush", push, idempotency_key=lost.exception.idempotency_key)
        self.assertEqual(client.page("order", user__email="python-lost-whole@example.org")["meta"]["total_count"], 1)

    def test_sends_nothing_again_for_a_key_the_platform_does_not_look_at(self):
        user = client.create("user", {"email": "python-token@example.org"})
        with self.assertRaises(UncertainError):
            client.request("POST", f"user/{user.id}/logintoken/?python=lost", {}, idempotency_key="mine")

    def test_does_not_say_that_somebody_else_was_there_where_that_was_its_own_change(self):
        made = client.create("mailer", {"subjects": ["Hello"]})
        version = client.get("mailer", made.id)["targeting_version"]
        with self.assertRaises(UncertainError):
            client.update("mailer", made.id, {"notes": "python lost", "limit": 5, "targeting_version": version})
        self.assertEqual(client.get("mailer", made.id)["limit"], 5)
        with self.assertRaises(ApiError) as stale:
            client.update("mailer", made.id, {"limit": 6, "targeting_version": version})
        self.assertEqual(stale.exception.status, 409)

    def test_asks_for_what_stands_before_a_query_that_names_an_object_by_its_uri(self):
        made = client.create("user", {"email": "python-named@example.org"})
        self.assertEqual(client.request("GET", f"phone/?user={made.uri}").body["meta"]["total_count"], 0)

    def test_waits_as_long_as_it_is_told_and_says_when_nobody_is_there(self):
        began = time.monotonic()
        client.create("list", {"name": "python busy"})
        self.assertGreaterEqual(time.monotonic() - began, 1)
        nowhere = CampaignClient("http://127.0.0.1:1", "a", "b", attempts=2, first_pause=0.001)
        with self.assertRaises(NoAnswerError) as nobody:
            nowhere.create("list", {"name": "x"})
        self.assertNotIsInstance(nobody.exception, UncertainError)


unittest.main()
