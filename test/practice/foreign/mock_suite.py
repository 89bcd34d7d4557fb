"""A backend's tests of its client for the partner's API, with requests and pytest.

Run them with a server of their own:
hedge practice serve --memory --seed 7 --clock manual --fill-after 2 -- python3 -m pytest mock_suite.py
"""

import os

import pytest
import requests

BASE, KEY = os.environ["HEDGE_BASE_URL"], os.environ["HEDGE_API_KEY"]
CONTROL, CONTROL_KEY = os.environ["HEDGE_CONTROL_URL"], os.environ["HEDGE_CONTROL_KEY"]
CA_FILE = os.environ["HEDGE_CA_FILE"]

TERMS = {"market": "USDTNGN", "side": "buy", "notional_usd": 10000, "tenor_days": 3}


class Unclear(Exception):
    """No usable answer: the hedge may be open."""


class Partner:
    """The client under test: it sends an open again, under the same key, until it has an answer of the service."""

    def __init__(self, base=BASE, key=KEY, timeout=60):
        self.base, self.timeout = base, timeout
        # With each request: that of a session loses to REQUESTS_CA_BUNDLE.
        self.trust = {"verify": CA_FILE}
        self.session = requests.Session()
        self.session.headers["Authorization"] = "Bearer " + key

    def send(self, method, path, body=None, key=None):
        headers = {} if key is None else {"Idempotency-Key": key}
        try:
            answer = self.session.request(
                method,
                self.base + path,
                json=body,
                headers=headers,
                timeout=self.timeout,
                allow_redirects=False,
                **self.trust,
            )
            envelope = answer.json()
            return answer.status_code, envelope["data"], envelope["error"]
        except (requests.RequestException, ValueError, TypeError, KeyError) as reason:
            raise Unclear(reason) from reason

    def open(self, reference, attempts=5, **terms):
        for _ in range(attempts):
            try:
                status, data, error = self.send("POST", "/hedges", {**TERMS, "client_reference": reference, **terms}, reference)
            except Unclear:
                continue
            if status in (200, 201):
                return data["hedge_id"]
            if status < 500 and status != 429 and error["code"] != "idempotency_in_flight":
                raise PermissionError(error["code"])
        raise Unclear(reference)

    def hedges(self, reference):
        return self.send("GET", "/hedges?client_reference=" + reference)[1]


def control(method, path, body=None):
    answer = requests.request(
        method, CONTROL + path, json=body, headers={"Authorization": "Bearer " + CONTROL_KEY}, verify=CA_FILE, timeout=60
    )
    envelope = answer.json()
    assert answer.ok, envelope["error"]
    return envelope["data"]


def advance(seconds):
    return control("POST", "/clock/advance", {"seconds": seconds})


def script(*steps, **match):
    control("PATCH", "/faults", {"scripts": [{"match": {"path": "/hedges", "method": "POST", **match}, "steps": steps}]})


def verify(match, **expected):
    seen = control("POST", "/requests/verify", {"match": match, **expected})
    assert seen["verified"] and seen["complete"], seen
    return seen["requests"]


@pytest.fixture(autouse=True)
def as_it_started():
    control("POST", "/reset", {"all": True})


@pytest.fixture
def partner():
    return Partner()


def test_a_hedge_fills_and_settles(partner):
    hedge_id = partner.open("PAY-1")
    assert partner.hedges("PAY-1")[0]["status"] == "submitted"
    assert [event["what"] for event in advance(2)["environments"]["test"]["events"]] == ["filled"]
    assert partner.hedges("PAY-1")[0]["status"] == "filled"
    [settled] = advance(3 * 86400)["environments"]["test"]["events"]
    [record] = partner.send("GET", "/hedges/history")[1]
    assert (record["id"], record["reason"]) == (hedge_id, "maturity")
    # The event has no platform fee: that was taken at the fill.
    assert float(settled["realized_pnl_usd"]) == pytest.approx(record["net_pnl_usd"] + 10)


def test_a_503_then_a_lost_response_then_success_opens_once(partner):
    script("fail_before", "lost_after", "none")
    hedge_id = partner.open("PAY-2")
    assert [hedge["id"] for hedge in partner.hedges("PAY-2")] == [hedge_id]
    attempts = verify({"method": "POST", "client_reference": "PAY-2"}, count=3, same=["key", "body"])
    assert [each["fault"] for each in attempts] == ["fail_before", "lost_after", None]
    assert [each["executed"] for each in attempts] == [False, True, False]
    verify({"client_reference": "PAY-2", "executed": True}, count=1)


@pytest.mark.parametrize(
    "fault",
    [
        "rate_limited",
        "fail_after",
        "lost_before",
        "bad_gateway_before",
        "bad_gateway_after",
        "gateway_timeout_before",
        "gateway_timeout_after",
        "truncated",
        "invalid_json",
    ],
)
def test_no_broken_answer_opens_twice(partner, fault):
    script(fault, fault, "none", client_reference="PAY-3")
    hedge_id = partner.open("PAY-3")
    assert [hedge["id"] for hedge in partner.hedges("PAY-3")] == [hedge_id]
    verify({"client_reference": "PAY-3", "method": "POST"}, count=3, same=["key", "body"])


def test_a_page_of_a_gateway_is_no_answer_of_the_service(partner):
    control("PATCH", "/faults", {"gateway_forbidden": 1})
    with pytest.raises(Unclear):
        partner.open("PAY-4")
    verify({"fault": "gateway_forbidden"}, count=5)
    control("DELETE", "/faults")
    assert partner.hedges("PAY-4") == []


def test_a_revoked_key_and_a_redirect_end_at_once(partner):
    script("revoked_key")
    with pytest.raises(PermissionError, match="unauthorized"):
        partner.open("PAY-5")
    script("redirect")
    with pytest.raises(Unclear):
        partner.open("PAY-5", attempts=1)
    # A client that follows it would show here.
    verify({"path": "/moved/*"}, count=0)


def test_fields_and_statuses_of_tomorrow_are_no_error(partner):
    script("unknown_fields")
    partner.open("PAY-6")
    advance(2)
    control("PATCH", "/faults", {"unknown_status": 1, "only": "readings", "once": 1})
    assert partner.hedges("PAY-6")[0]["status"] not in ("submitting", "submitted", "filled", "failed", "closed")
    assert partner.hedges("PAY-6")[0]["status"] == "filled"


TEN_MINUTES = 600_000


def test_a_client_that_gives_up_finds_its_hedge(partner):
    script({"delay_after_ms": TEN_MINUTES})
    with pytest.raises(Unclear):
        Partner(timeout=5).open("PAY-7", attempts=1)
    # It was executed, and its response is on its way.
    assert len(partner.hedges("PAY-7")) == 1
    [waiting] = control("GET", "/requests?key=PAY-7")
    assert (waiting["status"], waiting["environment"]) == (None, "test")
    # Two more with the key meet a request in progress, and do not wait.
    for _ in range(2):
        status, _, error = partner.send("POST", "/hedges", {**TERMS, "client_reference": "PAY-7"}, "PAY-7")
        assert (status, error["code"]) == (409, "idempotency_in_flight")
    assert len(partner.hedges("PAY-7")) == 1


def test_a_delay_before_the_execution_opens_nothing_yet(partner):
    script({"delay_before_ms": TEN_MINUTES})
    with pytest.raises(Unclear):
        Partner(timeout=5).open("PAY-8", attempts=1)
    assert partner.hedges("PAY-8") == []
    status, _, error = partner.send("POST", "/hedges", {**TERMS, "client_reference": "PAY-8"}, "PAY-8")
    assert (status, error["code"]) == (409, "idempotency_in_flight")


def test_a_body_that_comes_byte_by_byte_has_begun(partner):
    control("PATCH", "/faults", {"drip": 1, "once": 1})
    with partner.session.get(BASE + "/prices", timeout=60, stream=True, **partner.trust) as answer:
        assert answer.raw.read(2) == b'{"'


def test_each_worker_has_a_book_of_its_own():
    name = "worker-" + str(os.getpid())
    book = control("POST", "/books", {"name": name})
    mine = Partner(book["base_url"], book["keys"]["test"])
    mine.open("PAY-9")
    assert Partner().hedges("PAY-9") == []
    assert [each["name"] for each in control("GET", "/books")] == ["default", name]
    control("DELETE", "/books?book=" + name)
    assert [each["name"] for each in control("GET", "/books")] == ["default"]


def test_settings_and_prices_are_restored(partner):
    started = control("GET", "/settings")
    control("PATCH", "/settings", {"markets": {"USDTNGN": {"base_rate": 1600, "swing": 0}}, "margin_pct": 20})
    control("PUT", "/prices", {"market": "USDTNGN", "points": [{"at": "2026-12-01T08:00Z", "price": 1700}]})
    assert partner.send("GET", "/prices")[1][0]["price"] == 1700
    control("DELETE", "/settings")
    assert control("GET", "/settings")["settings"] == started["settings"]
    assert control("PATCH", "/settings", started)["settings"] == started["settings"]
    control("POST", "/reset", {"all": True})
    assert 1400 < partner.send("GET", "/prices")[1][0]["price"] < 1690


def test_a_book_as_it_was_comes_back(partner):
    partner.open("PAY-10")
    advance(2)
    kept = control("GET", "/fixture")
    partner.open("PAY-11")
    control("PATCH", "/faults", {"fail_before": 1})
    control("PUT", "/fixture", kept)
    assert len(partner.hedges("PAY-10")) == 1
    assert partner.hedges("PAY-11") == []


def test_the_log_can_be_asked(partner):
    partner.open("PAY-12")
    partner.send("GET", "/account")
    [opened] = control("GET", "/requests?path=/hedges&key=PAY-12")
    assert (opened["body"]["notional_usd"], opened["status"], opened["replayed"]) == (10000, 201, False)
    assert "authorization" not in opened["headers"] and KEY not in str(opened)
    since = control("GET", "/clock")["book_time"]
    assert len(control("GET", "/requests?since=" + since)) == 2
    control("POST", "/reset", {"requests": "keep"})
    assert len(control("GET", "/requests")) == 2
