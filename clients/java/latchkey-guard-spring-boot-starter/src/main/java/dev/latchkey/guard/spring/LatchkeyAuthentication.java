package dev.latchkey.guard.spring;

import dev.latchkey.guard.Decision;
import dev.latchkey.guard.LatchkeyPrincipal;
import dev.latchkey.guard.Question;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.springframework.security.authentication.AbstractAuthenticationToken;
import org.springframework.security.core.GrantedAuthority;
import org.springframework.security.core.authority.SimpleGrantedAuthority;

/**
 * A request with an API key: a question to the guard, or its answer. The authorities of a granted
 * one are the permissions of the key, so {@code hasAuthority('systems:read')} works.
 */
public final class LatchkeyAuthentication extends AbstractAuthenticationToken {
  private static final long serialVersionUID = 1L;

  private final transient Question question;
  private final transient Decision decision;
  private final transient LatchkeyPrincipal principal;

  private LatchkeyAuthentication(
      Question question,
      Decision decision,
      LatchkeyPrincipal principal,
      Collection<? extends GrantedAuthority> authorities) {
    super(authorities);
    this.question = question;
    this.decision = decision;
    this.principal = principal;
    super.setAuthenticated(principal != null);
  }

  /** What {@link LatchkeyAuthenticationProvider} takes. */
  public static LatchkeyAuthentication unauthenticated(Question question) {
    return new LatchkeyAuthentication(question, null, null, List.of());
  }

  static LatchkeyAuthentication granted(Decision decision) {
    return of(decision, decision.principal());
  }

  /**
   * An authentication without any call of Latchkey, for tests. Where it is in the security context,
   * a request is judged by this principal's access and permissions.
   */
  public static LatchkeyAuthentication simulated(LatchkeyPrincipal principal) {
    return of(null, principal);
  }

  private static LatchkeyAuthentication of(Decision decision, LatchkeyPrincipal principal) {
    List<GrantedAuthority> authorities = new ArrayList<>();
    for (String each : principal.permissions()) authorities.add(new SimpleGrantedAuthority(each));
    return new LatchkeyAuthentication(null, decision, principal, authorities);
  }

  /** The question; null once it is answered. */
  public Question question() {
    return question;
  }

  /** The answer; null before it, and for a simulated one. */
  public Decision decision() {
    return decision;
  }

  boolean isSimulated() {
    return isAuthenticated() && decision == null;
  }

  /** Always empty: the key itself goes no further than the guard. */
  @Override
  public Object getCredentials() {
    return "";
  }

  /** A {@link LatchkeyPrincipal}; empty text before the answer. */
  @Override
  public Object getPrincipal() {
    return principal == null ? "" : principal;
  }

  /**
   * Only the guard authenticates.
   *
   * @throws IllegalArgumentException it is set to true
   */
  @Override
  public void setAuthenticated(boolean isAuthenticated) {
    if (isAuthenticated) throw new IllegalArgumentException("Only the guard authenticates");
    super.setAuthenticated(false);
  }

  /** A simulated one equals no granted one: no call of Latchkey stands behind it. */
  @Override
  public boolean equals(Object other) {
    return super.equals(other)
        && other instanceof LatchkeyAuthentication that
        && isSimulated() == that.isSimulated();
  }

  @Override
  public int hashCode() {
    return 31 * super.hashCode() + Boolean.hashCode(isSimulated());
  }
}
