import java.io.FileInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * A backend's tests of its client for the partner's API, with Java 17 alone. Run them with a server of their own:
 * hedge practice serve --memory --seed 7 --clock manual --fill-after 2 -- java MockSuite.java
 */
public class MockSuite {
  static final String BASE = System.getenv("HEDGE_BASE_URL");
  static final String KEY = System.getenv("HEDGE_API_KEY");
  static final String CONTROL = System.getenv("HEDGE_CONTROL_URL");
  static final String CONTROL_KEY = System.getenv("HEDGE_CONTROL_KEY");

  record Answer(int status, String body) {
    /** The first value of a field, as it is written. */
    String field(String name) {
      return fields(name).stream().findFirst().orElse("none");
    }

    List<String> fields(String name) {
      var pattern = Pattern.compile("\"" + name + "\":(?:\"((?:[^\"\\\\]|\\\\.)*)\"|([^,}\\]]+))");
      return pattern.matcher(body).results().map(MockSuite::valueOf).toList();
    }
  }

  static String valueOf(MatchResult found) {
    return found.group(1) != null ? found.group(1) : found.group(2);
  }

  static class Unclear extends Exception {
    Unclear(Throwable reason) {
      super(reason);
    }
  }

  static SSLContext trust() throws Exception {
    var store = KeyStore.getInstance(KeyStore.getDefaultType());
    store.load(null, null);
    try (var in = new FileInputStream(System.getenv("HEDGE_CA_FILE"))) {
      var factory = CertificateFactory.getInstance("X.509");
      store.setCertificateEntry("hedge", factory.generateCertificate(in));
    }
    var managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    managers.init(store);
    var context = SSLContext.getInstance("TLS");
    context.init(null, managers.getTrustManagers(), null);
    return context;
  }

  static HttpClient client;

  static Answer send(String url, String key, Duration timeout, String method, String body, String idempotencyKey)
      throws Unclear {
    var request = HttpRequest.newBuilder(URI.create(url)).timeout(timeout).header("Authorization", "Bearer " + key);
    if (idempotencyKey != null) request.header("Idempotency-Key", idempotencyKey);
    if (body == null) request.method(method, BodyPublishers.noBody());
    else request.header("Content-Type", "application/json").method(method, BodyPublishers.ofString(body));
    try {
      HttpResponse<String> response = client.send(request.build(), BodyHandlers.ofString());
      var isJson = response.headers().firstValue("Content-Type").orElse("").startsWith("application/json");
      // No library of JSON here: a broken document ends with a comma before its last brace.
      if (!isJson || response.body().endsWith(",}")) throw new Unclear(null);
      return new Answer(response.statusCode(), response.body());
    } catch (IOException reason) {
      throw new Unclear(reason);
    } catch (InterruptedException reason) {
      throw new IllegalStateException(reason);
    }
  }

  static final Duration LONG = Duration.ofSeconds(60);

  static Answer control(String method, String path, String body) throws Exception {
    var answer = send(CONTROL + path, CONTROL_KEY, LONG, method, body, null);
    if (answer.status() >= 300) throw new AssertionError(method + " " + path + ": " + answer);
    return answer;
  }

  /** The client under test: sends an open again, under the same key, until it has an answer of the service. */
  record Partner(String base, String key, Duration timeout) {
    Answer get(String path) throws Unclear {
      return send(base + path, key, timeout, "GET", null, null);
    }

    Answer openOnce(String reference) throws Unclear {
      var terms = "{\"market\":\"USDTNGN\",\"side\":\"buy\",\"notional_usd\":10000,\"tenor_days\":3,\"client_reference\":\"%s\"}";
      return send(base + "/hedges", key, timeout, "POST", terms.formatted(reference), reference);
    }

    String open(String reference) throws Unclear {
      for (var attempt = 0; attempt < 5; attempt++) {
        try {
          var answer = openOnce(reference);
          if (answer.status() < 300) return answer.field("hedge_id");
        } catch (Unclear again) {
          // The same key: it executes once.
        }
      }
      throw new Unclear(null);
    }

    List<String> ids(String reference) throws Unclear {
      return get("/hedges?client_reference=" + reference).fields("id");
    }
  }

  static final Partner PARTNER = new Partner(BASE, KEY, LONG);

  static void same(Object expected, Object found) {
    if (!expected.equals(found)) throw new AssertionError("expected " + expected + ", found " + found);
  }

  static void script(String steps) throws Exception {
    var match = "{\"method\":\"POST\",\"path\":\"/hedges\"}";
    control("PATCH", "/faults", "{\"scripts\":[{\"match\":" + match + ",\"steps\":[" + steps + "]}]}");
  }

  static Answer verify(String expected) throws Exception {
    var seen = control("POST", "/requests/verify", expected);
    same("true", seen.field("verified"));
    return seen;
  }

  interface Test {
    void run() throws Exception;
  }

  static void aHedgeFillsAndSettles() throws Exception {
    var id = PARTNER.open("PAY-1");
    same("filled", control("POST", "/clock/advance", "{\"seconds\":2}").field("what"));
    same("filled", PARTNER.get("/hedges/" + id).field("status"));
    same("settled", control("POST", "/clock/advance", "{\"seconds\":259200}").field("what"));
    same(id, PARTNER.get("/hedges/history").field("id"));
  }

  static void a503ThenALostResponseThenSuccessOpensOnce() throws Exception {
    script("\"fail_before\",\"lost_after\",\"none\"");
    var id = PARTNER.open("PAY-2");
    same(List.of(id), PARTNER.ids("PAY-2"));
    var match = "{\"method\":\"POST\",\"client_reference\":\"PAY-2\"%s}";
    var attempts = verify("{\"match\":" + match.formatted("") + ",\"count\":3,\"same\":[\"key\",\"body\"]}");
    same(List.of("fail_before", "lost_after", "null"), attempts.fields("fault"));
    verify("{\"match\":" + match.formatted(",\"executed\":true") + ",\"count\":1}");
  }

  static void noBrokenAnswerOpensTwice() throws Exception {
    for (var fault : List.of("rate_limited", "fail_after", "lost_before", "bad_gateway_before", "bad_gateway_after",
        "gateway_timeout_before", "gateway_timeout_after", "gateway_forbidden", "truncated", "invalid_json")) {
      control("POST", "/reset", "{\"all\":true}");
      script("\"" + fault + "\",\"" + fault + "\",\"none\"");
      var id = PARTNER.open(fault);
      same(List.of(id), PARTNER.ids(fault));
      verify("{\"match\":{\"key\":\"" + fault + "\"},\"count\":3,\"same\":[\"key\",\"body\"]}");
    }
  }

  static void aClientThatGivesUpFindsItsHedge() throws Exception {
    script("{\"delay_after_ms\":600000}");
    try {
      new Partner(BASE, KEY, Duration.ofSeconds(5)).openOnce("PAY-4");
      throw new AssertionError("it had a response");
    } catch (Unclear expected) {
      // It was executed, and its response is on its way.
    }
    same(1, PARTNER.ids("PAY-4").size());
    same("null", control("GET", "/requests?key=PAY-4", null).field("status"));
    // Another with the key meets a request in progress, and does not wait.
    same("idempotency_in_flight", PARTNER.openOnce("PAY-4").field("code"));
    same(1, PARTNER.ids("PAY-4").size());
  }

  static void eachWorkerHasABookOfItsOwn() throws Exception {
    var book = control("POST", "/books", "{\"name\":\"java\"}");
    new Partner(book.field("base_url"), book.field("test"), LONG).open("PAY-5");
    same(List.of(), PARTNER.ids("PAY-5"));
    same(List.of("default", "java"), control("GET", "/books", null).fields("name"));
    same(List.of("default"), control("DELETE", "/books?book=java", null).fields("name"));
  }

  static void settingsAreRestored() throws Exception {
    var started = control("GET", "/settings", null).body();
    control("PATCH", "/settings", "{\"markets\":{\"USDTNGN\":{\"base_rate\":1600}},\"margin_pct\":20}");
    same("20", control("GET", "/settings", null).field("margin_pct"));
    same("10", control("DELETE", "/settings", null).field("margin_pct"));
    var given = started.replaceFirst("^\\{\"data\":", "").replaceFirst(",\"error\":null,\"meta\":\\{\\}\\}$", "");
    same("10", control("PATCH", "/settings", given).field("margin_pct"));
  }

  public static void main(String[] words) throws Exception {
    client = HttpClient.newBuilder().sslContext(trust()).build();
    var tests = Map.<String, Test>of(
        "a hedge fills and settles", MockSuite::aHedgeFillsAndSettles,
        "a 503, then a lost response, then success opens once", MockSuite::a503ThenALostResponseThenSuccessOpensOnce,
        "no broken answer opens twice", MockSuite::noBrokenAnswerOpensTwice,
        "a client that gives up finds its hedge", MockSuite::aClientThatGivesUpFindsItsHedge,
        "each worker has a book of its own", MockSuite::eachWorkerHasABookOfItsOwn,
        "settings are restored", MockSuite::settingsAreRestored);
    for (var test : tests.entrySet()) {
      control("POST", "/reset", "{\"all\":true}");
      try {
        test.getValue().run();
      } catch (Throwable failed) {
        throw new AssertionError(test.getKey(), failed);
      }
    }
    System.out.println(tests.size() + " tests passed");
  }
}
