package dev.latchkey.guard.spring;

import dev.latchkey.guard.Guard;
import dev.latchkey.guard.servlet.GuardedServletRequest;
import java.util.Map;
import org.springframework.security.authentication.AuthenticationProvider;
import org.springframework.security.web.util.matcher.RequestMatcher;

/** What a SecurityFilterChain needs of the guard. */
public class Latchkey {
  private final Guard guard;
  private final AuthenticationProvider provider;

  /** For beans of your own: the auto-configuration makes one. */
  public Latchkey(Guard guard, AuthenticationProvider provider) {
    this.guard = guard;
    this.provider = provider;
  }

  /**
   * Requires a permission, for {@code authorizeHttpRequests(…).access(…)}. A parameter of the path
   * stands in braces: {@code systems/{id}:read}.
   *
   * @throws IllegalArgumentException it is not of the form resource:action
   */
  public LatchkeyAuthorizationManager permission(String permission) {
    return new LatchkeyAuthorizationManager(guard.protect(permission), provider);
  }

  /** Requires any good key. */
  public LatchkeyAuthorizationManager anyKey() {
    return permission(Guard.ANY_KEY);
  }

  /**
   * Sets up a filter chain for API keys, as {@code http.with(latchkey.security(), withDefaults())}.
   */
  public LatchkeyConfigurer security() {
    return new LatchkeyConfigurer(() -> guard);
  }

  /**
   * Matches requests that carry what looks like an API key, for the {@code securityMatcher} of a
   * chain next to one for the platform's own tokens. Imported keys have no marker and don't match.
   */
  public RequestMatcher apiKeys() {
    return request -> guard.isApiKey(new GuardedServletRequest(request, Map.of()));
  }
}
