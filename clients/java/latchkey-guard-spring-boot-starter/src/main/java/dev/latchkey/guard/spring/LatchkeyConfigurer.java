package dev.latchkey.guard.spring;

import dev.latchkey.guard.Decision;
import dev.latchkey.guard.Guard;
import dev.latchkey.guard.servlet.ServletDecisions;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.function.Supplier;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.config.http.SessionCreationPolicy;
import org.springframework.security.core.AuthenticationException;
import org.springframework.security.web.context.RequestAttributeSecurityContextRepository;
import org.springframework.security.web.savedrequest.NullRequestCache;

/**
 * Sets up a filter chain for API keys: no sessions, so that no verdict outlives its request; no
 * CSRF tokens, because browsers send no key by themselves; and the answers of every guard.
 */
public final class LatchkeyConfigurer
    extends AbstractHttpConfigurer<LatchkeyConfigurer, HttpSecurity> {
  private static final Decision DENIED =
      new Decision(403, null, "OPERATION_NOT_ALLOWED", null, 0, "", "", "");

  private final Supplier<Guard> guard;

  LatchkeyConfigurer(Supplier<Guard> guard) {
    this.guard = guard;
  }

  @Override
  public void init(HttpSecurity http) throws Exception {
    http.csrf(AbstractHttpConfigurer::disable)
        .sessionManagement(
            sessions -> sessions.sessionCreationPolicy(SessionCreationPolicy.STATELESS))
        // Spring Security has chosen the session's one before this is called.
        .securityContext(
            contexts ->
                contexts.securityContextRepository(new RequestAttributeSecurityContextRepository()))
        // Without CSRF tokens, a link would log a person out.
        .logout(AbstractHttpConfigurer::disable)
        .requestCache(cache -> cache.requestCache(new NullRequestCache()))
        .headers(headers -> headers.addHeaderWriter(this::writeHeaders))
        .exceptionHandling(
            problems ->
                problems
                    .authenticationEntryPoint(this::refuse)
                    .accessDeniedHandler((request, response, problem) -> deny(response)));
  }

  /** The headers of a granted request. */
  private void writeHeaders(HttpServletRequest request, HttpServletResponse response) {
    ServletDecisions.granted(request)
        .ifPresent(
            decision -> ServletDecisions.writeHeaders(response, guard.get(), "Bearer", decision));
  }

  private void refuse(
      HttpServletRequest request, HttpServletResponse response, AuthenticationException problem)
      throws IOException {
    if (problem instanceof LatchkeyRefusedException refused) {
      String challenge = refused.question().challenge();
      ServletDecisions.refuse(response, guard.get(), challenge, refused.decision());
    } else {
      deny(response);
    }
  }

  /** By a rule of the service itself: with a good key, with none, or before it was looked at. */
  private void deny(HttpServletResponse response) throws IOException {
    ServletDecisions.refuse(response, guard.get(), "Bearer", DENIED);
  }
}
