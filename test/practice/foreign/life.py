"""The life of a hedge against the practice service, in Python's standard library.

Start `hedge practice serve --memory --seed 7 --clock manual --fill-after 2 --print-env sh`, set the variables that it
prints, and run this file. It prints every response, so that two runs can be compared.
"""

import http.client
import json
import os
import ssl
import unittest
from decimal import Decimal
from urllib.parse import urlsplit

BUY = {"market": "USDTNGN", "side": "buy"}
SELL = {"market": "USDTNGN", "side": "sell"}


class Api:
    """One of the two APIs, with its key."""

    def __init__(self, url, key):
        self.address = urlsplit(url)
        self.key = key
        self.trust = ssl.create_default_context(cafile=os.environ["HEDGE_CA_FILE"])

    def call(self, method, path, body=None, key=None):
        """Returns status, headers and the decoded body."""
        headers = {"Authorization": "Bearer " + self.key}
        if body is not None:
            headers["Content-Type"] = "application/json"
        if key is not None:
            headers["Idempotency-Key"] = key
        connection = http.client.HTTPSConnection(self.address.netloc, context=self.trust, timeout=30)
        try:
            content = None if body is None else json.dumps(body, default=float)
            connection.request(method, self.address.path + path, content, headers)
            response = connection.getresponse()
            text = response.read().decode()
        finally:
            connection.close()
        print(method, path, response.status, response.headers["Date"], text)
        return response.status, response.headers, json.loads(text, parse_float=Decimal)

    def data(self, method, path, body=None, key=None):
        status, _, envelope = self.call(method, path, body, key)
        if envelope["error"] is not None:
            raise AssertionError(f"{method} {path}: {status} {envelope['error']}")
        return envelope["data"]


partner = Api(os.environ["HEDGE_BASE_URL"], os.environ["HEDGE_API_KEY"])
control = Api(os.environ["HEDGE_CONTROL_URL"], os.environ["HEDGE_CONTROL_KEY"])


def advance(seconds):
    moved = control.data("POST", "/clock/advance", {"seconds": seconds})
    return [event["what"] for event in moved["environments"]["test"]["events"]]


class Life(unittest.TestCase):
    def setUp(self):
        control.data("DELETE", "/faults")
        control.data("DELETE", "/prices")
        control.data("POST", "/reset")

    def test_a_hedge_from_quote_to_close_and_another_to_settlement(self):
        quote = partner.data("POST", "/quotes", {**BUY, "notional_usd": 10000, "tenor_days": 3})
        self.assertEqual(quote["upfront"]["total_upfront_usdc"], 1010)

        # The service acts, and its response is lost.
        control.data("PATCH", "/faults", {"lost_after": 1, "only": "open", "once": 1})
        order = {**BUY, "notional_usd": 10000, "tenor_days": 3, "client_reference": "PAY-8841"}
        with self.assertRaises((http.client.HTTPException, ConnectionError, ssl.SSLError)):
            partner.call("POST", "/hedges", order, "open-1")
        status, headers, opened = partner.call("POST", "/hedges", order, "open-1")
        self.assertEqual((status, headers["Idempotency-Replayed"]), (201, "true"))
        hedge_id = opened["data"]["hedge_id"]
        self.assertEqual(len(partner.data("GET", "/hedges?client_reference=PAY-8841")), 1)

        self.assertEqual(advance(2), ["filled"])
        hedge = partner.data("GET", "/hedges/" + hedge_id)
        self.assertEqual((hedge["status"], hedge["notional_usd"]), ("filled", 10000))

        partner.data("POST", "/hedges/add", {**BUY, "notional_usd": 5000}, "add-1")
        self.assertEqual(advance(2), ["added"])
        partner.data("POST", "/hedges/reduce", {**BUY, "notional_usd": 3000}, "reduce-1")
        self.assertEqual(advance(2), ["reduced"])
        self.assertEqual(partner.data("GET", "/hedges/" + hedge_id)["notional_usd"], 12000)

        partner.data("POST", "/hedges/close", BUY, "close-1")
        self.assertEqual(advance(2), ["closed"])
        self.assertEqual(partner.data("GET", "/positions"), [])

        partner.data("POST", "/hedges", {**SELL, "notional_usd": 2000, "tenor_days": 1}, "open-2")
        self.assertEqual(advance(2), ["filled"])
        matures = partner.data("GET", "/hedges?status=filled")[0]["maturity_at"]
        control.data("PUT", "/prices", {"market": "USDTNGN", "points": [{"at": matures, "price": 1600}]})
        self.assertEqual(advance(86400), ["settled"])

        settled, closed = partner.data("GET", "/hedges/history")
        self.assertEqual((settled["reason"], settled["exit_price"]), ("maturity", 1600))
        self.assertEqual((closed["reason"], closed["notional_usd"]), ("close", 15000))
        balance = partner.data("GET", "/account")["balance_usdc"]
        self.assertEqual(balance, 100000 + settled["net_pnl_usd"] + closed["net_pnl_usd"])

        received = control.data("GET", "/requests")
        opens = [each for each in received if each["method"] == "POST" and each["path"] == "/hedges"]
        self.assertEqual([each["fault"] for each in opens], ["lost_after", None, None])
        self.assertEqual([each["replayed"] for each in opens], [False, True, False])

    def test_errors_of_the_specification(self):
        def code(method, path, body=None, key=None):
            status, _, envelope = partner.call(method, path, body, key)
            return status, envelope["error"]["code"]

        order = {**BUY, "notional_usd": 500001, "tenor_days": 1}
        self.assertEqual(code("POST", "/hedges", order), (400, "exposure_exceeded"))
        self.assertEqual(code("POST", "/hedges/add", {**BUY, "notional_usd": 1}), (404, "no_open_hedge"))
        self.assertEqual(code("GET", "/hedges/hdg_unknown"), (404, "hedge_not_found"))
        order["notional_usd"] = 100
        partner.data("POST", "/hedges", order, "same")
        self.assertEqual(code("POST", "/hedges", {**order, "tenor_days": 3}, "same"), (409, "idempotency_key_reuse"))
        control.data("PATCH", "/faults", {"in_flight_seconds": 5, "once": 1})
        self.assertEqual(code("POST", "/hedges", order, "busy"), (409, "idempotency_in_flight"))
        advance(5)
        self.assertEqual(partner.call("POST", "/hedges", order, "busy")[0], 201)
        control.data("PATCH", "/faults", {"rate_limited": 1, "once": 1})
        self.assertEqual(code("GET", "/account"), (429, "rate_limited"))

    def test_a_placed_hedge_and_a_loaded_book(self):
        placed = control.data("POST", "/hedges", {**BUY, "notional_usd": 1000, "tenor_days": 7, "struck_rate": 1500})
        self.assertEqual(partner.data("GET", "/positions")[0]["entry_price"], 1500)
        book = control.data("GET", "/fixture")
        control.data("POST", "/reset", {"balance_usdc": 5000})
        self.assertEqual(partner.data("GET", "/account")["balance_usdc"], 5000)
        control.data("PUT", "/fixture", book)
        self.assertEqual(partner.data("GET", "/hedges"), [placed])


if __name__ == "__main__":
    unittest.main(verbosity=0)
