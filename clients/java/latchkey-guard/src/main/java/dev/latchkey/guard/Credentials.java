package dev.latchkey.guard;

import static dev.latchkey.guard.CredentialForm.BASIC;
import static dev.latchkey.guard.CredentialForm.BEARER;
import static dev.latchkey.guard.CredentialForm.X_API_KEY;
import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Finds the only credential of a request. */
final class Credentials {
  private static final Pattern BEARER_SCHEME = Pattern.compile("(?i)(?:^|, *)bearer(?: |$)");
  private static final Pattern BASIC_SCHEME = Pattern.compile("(?i)^basic(?: |$)");
  private static final Pattern USUAL_PORT = Pattern.compile("^(?:(http:.*):80|(https:.*):443)$");
  private static final List<String> BROWSER_HEADERS =
      List.of("Origin", "Sec-Fetch-Site", "Upgrade-Insecure-Requests");

  private final List<CredentialForm> forms;
  private final boolean isBasic;
  private final Pattern marker;

  Credentials(List<CredentialForm> forms, String keyPrefix) {
    this.forms = forms;
    isBasic = forms.contains(BASIC);
    // After a character of a token, the marker is part of another one, such as a JWT.
    marker = Pattern.compile("(?:^|[^A-Za-z0-9._~+/-])" + keyPrefix + "_");
  }

  /** Whether shared caches have to be told that an answer is for one client. */
  boolean arePrivate() {
    return forms.contains(X_API_KEY);
  }

  private List<String> authorizationsOf(GuardedRequest request) {
    return isBasic || forms.contains(BEARER) ? request.headers("Authorization") : List.of();
  }

  private List<String> keysOf(GuardedRequest request) {
    return forms.contains(X_API_KEY) ? request.headers("X-API-Key") : List.of();
  }

  /**
   * The only credential. Each header that an enabled form uses counts as one, whatever its scheme;
   * of several none is taken.
   */
  Credential of(GuardedRequest request) {
    List<String> authorizations = authorizationsOf(request);
    List<String> keys = keysOf(request);
    if (authorizations.size() + keys.size() != 1) return Credential.NONE;
    if (!keys.isEmpty()) {
      // A comma joins two headers of the same name.
      String key = keys.get(0);
      return new Credential(key.contains(",") ? "" : key, "");
    }
    String authorization = authorizations.get(0);
    if (isBasic && BASIC_SCHEME.matcher(authorization).find()) {
      return new Credential(isFromOtherSite(request) ? "" : passwordIn(authorization), "");
    }
    return forms.contains(BEARER) ? new Credential("", authorization) : Credential.NONE;
  }

  /** The challenge of a 401. Browsers would ask a person for a password, and remember it. */
  String challengeFor(GuardedRequest request) {
    boolean isForBasic =
        isBasic
            && keysOf(request).isEmpty()
            && !(forms.contains(BEARER)
                && authorizationsOf(request).stream().anyMatch(BEARER_SCHEME.asPredicate()))
            && BROWSER_HEADERS.stream().allMatch(name -> request.headers(name).isEmpty());
    return isForBasic ? "Basic realm=\"api\"" : "Bearer";
  }

  /** Whether a request carries what looks like an API key. Imported keys have no marker. */
  boolean isApiKey(GuardedRequest request) {
    List<String> texts = new ArrayList<>(keysOf(request));
    for (String authorization : authorizationsOf(request)) {
      texts.add(authorization);
      if (isBasic) texts.add(passwordIn(authorization));
    }
    return texts.stream().anyMatch(marker.asPredicate());
  }

  /**
   * Whatever follows the first colon (RFC 7617), if this is the canonical base64 (RFC 4648, section
   * 4); empty otherwise.
   */
  private static String passwordIn(String header) {
    var scheme = BASIC_SCHEME.matcher(header);
    if (!scheme.find()) return "";
    String encoded = header.substring(scheme.end());
    try {
      byte[] decoded = Base64.getDecoder().decode(encoded);
      boolean isCanonical = Base64.getEncoder().encodeToString(decoded).equals(encoded);
      String pair = new String(decoded, ISO_8859_1);
      int colon = pair.indexOf(':');
      return isCanonical && colon >= 0 ? pair.substring(colon + 1) : "";
    } catch (IllegalArgumentException e) {
      return "";
    }
  }

  /** Browsers add a remembered password to requests that pages of other sites make. */
  private static boolean isFromOtherSite(GuardedRequest request) {
    String host = String.join(",", request.headers("Host"));
    List<String> own = Stream.of("http://", "https://").map(each -> plain(each + host)).toList();
    return !List.of("none", "same-origin").containsAll(request.headers("Sec-Fetch-Site"))
        || request.headers("Origin").stream().anyMatch(origin -> !own.contains(plain(origin)));
  }

  /** An origin without the usual port of its scheme. */
  private static String plain(String origin) {
    return USUAL_PORT.matcher(origin.toLowerCase(Locale.ROOT)).replaceFirst("$1$2");
  }
}
