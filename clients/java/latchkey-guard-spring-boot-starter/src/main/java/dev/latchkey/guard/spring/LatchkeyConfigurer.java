package dev.latchkey.guard.spring;

import dev.latchkey.guard.Guard;
import java.util.function.Supplier;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.config.http.SessionCreationPolicy;
import org.springframework.security.web.context.RequestAttributeSecurityContextRepository;
import org.springframework.security.web.savedrequest.NullRequestCache;

/**
 * Sets up a filter chain for API keys: no sessions, so that no verdict outlives its request; no
 * CSRF tokens, because browsers send no key by themselves; and the guard's answers.
 */
public final class LatchkeyConfigurer
    extends AbstractHttpConfigurer<LatchkeyConfigurer, HttpSecurity> {
  private final LatchkeyAnswers answers;

  LatchkeyConfigurer(Supplier<Guard> guard) {
    answers = new LatchkeyAnswers(guard);
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
        .headers(headers -> headers.addHeaderWriter(answers))
        .exceptionHandling(
            problems -> problems.authenticationEntryPoint(answers).accessDeniedHandler(answers));
  }
}
