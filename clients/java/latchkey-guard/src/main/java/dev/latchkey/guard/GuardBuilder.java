package dev.latchkey.guard;

import static dev.latchkey.guard.Operation.READ;
import static dev.latchkey.guard.Operation.WRITE;

import dev.latchkey.guard.Leases.Clocks;
import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;

/** Sets up a {@link Guard}. Nothing is checked before {@link #build}. */
public final class GuardBuilder implements Cloneable {
  private static final Pattern TARGET = Pattern.compile("https?://[^/?#@]+/?");
  private static final Pattern TOKEN = Pattern.compile("[\\x21-\\x7e]*");
  private static final Pattern PREFIX = Pattern.compile("[a-z][a-z0-9]{0,15}");
  private static final Pattern METHOD = Pattern.compile("[A-Z][A-Z-]*");
  private static final Duration LONGEST_DEADLINE = Duration.ofHours(1);

  String target;
  String serviceToken = "";
  SSLContext tls;
  boolean insecure;
  Duration deadline = Duration.ofMillis(200);
  List<CredentialForm> credentials = List.of(CredentialForm.BEARER);
  String keyPrefix = "lk";
  Map<String, Operation> operations =
      Map.of(
          "GET", READ, "HEAD", READ, "OPTIONS", READ, "POST", WRITE, "PUT", WRITE, "PATCH", WRITE);
  Function<GuardedRequest, String> clientAddress;
  boolean leases;
  boolean logFailures = true;
  Consumer<DecisionEvent> onDecision;
  Consumer<DecisionEvent> onDenied;
  Consumer<Failure> onError;
  Clocks clocks = Clocks.OWN;

  GuardBuilder() {}

  /** Latchkey's SERVICES_PORT: {@code https://latchkey.internal:3080}, or http: to this machine. */
  public GuardBuilder target(String url) {
    target = url;
    return this;
  }

  /** The token of a service identity with the role validator. */
  public GuardBuilder serviceToken(String token) {
    serviceToken = token == null ? "" : token;
    return this;
  }

  /** For an authority or a client certificate of your own. Without it, Java's authorities count. */
  public GuardBuilder tls(SSLContext context) {
    tls = context;
    return this;
  }

  /** Allows plain text to other machines, where a mesh encrypts it. */
  public GuardBuilder insecure(boolean isAllowed) {
    insecure = isAllowed;
    return this;
  }

  /** How long a request waits for its decision: 200 ms by default. Then it is answered with 503. */
  public GuardBuilder deadline(Duration deadline) {
    this.deadline = deadline;
    return this;
  }

  /** Where a request may carry its key: BEARER by default. More than one credential is 401. */
  public GuardBuilder credentials(CredentialForm... forms) {
    credentials = Arrays.asList(forms);
    return this;
  }

  /** Latchkey's KEY_PREFIX, by which {@link Guard#isApiKey} knows a key: lk by default. */
  public GuardBuilder keyPrefix(String prefix) {
    keyPrefix = prefix;
    return this;
  }

  /** Operations of further methods, or other ones: {@code Map.of("REPORT", Operation.READ)}. */
  public GuardBuilder operations(Map<String, Operation> byMethod) {
    operations = new HashMap<>(operations);
    operations.putAll(byMethod);
    return this;
  }

  /** Finds the client's address behind a proxy. Anything but one address counts as unknown. */
  public GuardBuilder clientAddress(Function<GuardedRequest, String> find) {
    clientAddress = find;
    return this;
  }

  /** Grants further requests of a key without a call, for a moment after Latchkey granted one. */
  public GuardBuilder leases(boolean areWanted) {
    leases = areWanted;
    return this;
  }

  /** Whether dev.latchkey.guard logs why requests are 503, at most once a minute: by default. */
  public GuardBuilder logFailures(boolean areLogged) {
    logFailures = areLogged;
    return this;
  }

  /** Called for each decision, for metrics. What it throws is logged and changes nothing. */
  public GuardBuilder onDecision(Consumer<DecisionEvent> hook) {
    onDecision = hook;
    return this;
  }

  /** Called for each 401, 403 and 429, for logs. What it throws is logged and changes nothing. */
  public GuardBuilder onDenied(Consumer<DecisionEvent> hook) {
    onDenied = hook;
    return this;
  }

  /** Called for each 503. What it throws is logged and changes nothing. */
  public GuardBuilder onError(Consumer<Failure> hook) {
    onError = hook;
    return this;
  }

  GuardBuilder clocks(Clocks clocks) {
    this.clocks = clocks;
    return this;
  }

  /**
   * Makes the guard. It does not wait for Latchkey.
   *
   * @throws IllegalArgumentException naming the option that is missing or unusable; the message
   *     never has the token
   */
  public Guard build() {
    URI url = checkedTarget();
    boolean isPlain = url.getScheme().equals("http");
    require(!isPlain || tls == null, "tls needs a target with https:");
    require(isPlain || !insecure, "insecure contradicts a target with https:");
    require(
        !isPlain || insecure || isHere(url.getHost()),
        "target must be https:, or use insecure where a mesh encrypts: keys would be readable");
    require(
        tls != null || !serviceToken.isEmpty(),
        "serviceToken is missing (or tls with a client certificate)");
    require(
        TOKEN.matcher(serviceToken).matches(),
        "serviceToken contains spaces or characters beyond ASCII");
    require(
        deadline != null
            && deadline.compareTo(Duration.ZERO) > 0
            && deadline.compareTo(LONGEST_DEADLINE) <= 0,
        "deadline must be positive, and at most one hour");
    require(
        !credentials.isEmpty() && credentials.stream().noneMatch(Objects::isNull),
        "credentials must name at least one of BEARER, X_API_KEY and BASIC");
    require(
        keyPrefix != null && PREFIX.matcher(keyPrefix).matches(),
        "keyPrefix is not 1 to 16 lower-case letters and digits, a letter first");
    operations.forEach(
        (method, operation) ->
            require(
                method != null && METHOD.matcher(method).matches() && operation != null,
                "operations: \"" + method + "\" is not a method in capitals with an operation"));
    try {
      // Later calls of this builder do not change the options of the guard.
      return new Guard((GuardBuilder) clone());
    } catch (CloneNotSupportedException e) {
      throw new IllegalStateException(e);
    }
  }

  private URI checkedTarget() {
    require(target != null && !target.isEmpty(), "target is missing");
    URI url = URI.create("");
    try {
      if (TARGET.matcher(target).matches()) url = new URI(target);
    } catch (URISyntaxException e) {
      // It is named below, without what it contains.
    }
    require(
        url.getHost() != null && url.getPort() != 0 && url.getPort() <= 65_535,
        "target must be a URL such as http://127.0.0.1:3080 or https://latchkey.internal:3080");
    return url;
  }

  private static boolean isHere(String host) {
    InetAddress address = Addresses.parse(host);
    return host.equals("localhost") || address != null && address.isLoopbackAddress();
  }

  private static void require(boolean isRight, String problem) {
    if (!isRight) throw new IllegalArgumentException("Latchkey guard: " + problem);
  }
}
