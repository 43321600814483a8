package dev.latchkey.guard.spring;

import dev.latchkey.guard.Decision;
import dev.latchkey.guard.LatchkeyPrincipal;
import dev.latchkey.guard.Operation;
import dev.latchkey.guard.Protection;
import dev.latchkey.guard.Question;
import dev.latchkey.guard.servlet.GuardedServletRequest;
import dev.latchkey.guard.servlet.ServletDecisions;
import jakarta.servlet.http.HttpServletRequest;
import java.util.function.Supplier;
import org.springframework.security.authentication.AuthenticationProvider;
import org.springframework.security.authorization.AuthorizationDecision;
import org.springframework.security.authorization.AuthorizationManager;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContext;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.web.access.intercept.RequestAuthorizationContext;

/**
 * Authenticates and authorizes a request with one call, because Latchkey judges a key and what it
 * is to do together. {@link Latchkey#permission} makes it.
 */
public final class LatchkeyAuthorizationManager
    implements AuthorizationManager<RequestAuthorizationContext> {
  private final Protection protection;
  private final AuthenticationProvider provider;

  LatchkeyAuthorizationManager(Protection protection, AuthenticationProvider provider) {
    this.protection = protection;
    this.provider = provider;
  }

  /** The same with another permission for everything but reads, to protect a whole path at once. */
  public LatchkeyAuthorizationManager forWrites(String permission) {
    return new LatchkeyAuthorizationManager(protection.forWrites(permission), provider);
  }

  /** The same where the method does not show what the handler does: READ for a search by POST. */
  public LatchkeyAuthorizationManager as(Operation operation) {
    return new LatchkeyAuthorizationManager(protection.as(operation), provider);
  }

  /**
   * Puts the principal into the security context. A request that was granted exactly this before,
   * as before an asynchronous dispatch, is not charged again.
   *
   * @throws LatchkeyRefusedException the guard did not grant the request
   */
  @Override
  public AuthorizationDecision authorize(
      Supplier<Authentication> current, RequestAuthorizationContext context) {
    HttpServletRequest request = context.getRequest();
    Question question =
        protection.question(new GuardedServletRequest(request, context.getVariables()));
    Authentication found = current.get();
    if (found instanceof LatchkeyAuthentication simulated && simulated.isSimulated()) {
      judge(question, (LatchkeyPrincipal) simulated.getPrincipal());
    } else {
      SecurityContext own = SecurityContextHolder.createEmptyContext();
      own.setAuthentication(authenticate(request, question));
      SecurityContextHolder.setContext(own);
    }
    return new AuthorizationDecision(true);
  }

  private Authentication authenticate(HttpServletRequest request, Question question) {
    var already = ServletDecisions.alreadyGranted(request, protection.guard(), question);
    if (already.isPresent()) return LatchkeyAuthentication.granted(already.get());
    Authentication authenticated =
        provider.authenticate(LatchkeyAuthentication.unauthenticated(question));
    if (!(authenticated instanceof LatchkeyAuthentication granted) || !granted.isAuthenticated()) {
      throw new IllegalStateException("The AuthenticationProvider of the guard has no answer");
    }
    ServletDecisions.remember(request, protection.guard(), question, granted.decision());
    return granted;
  }

  private static void judge(Question question, LatchkeyPrincipal principal) {
    if (principal.allows(question.operation(), question.permission())) return;
    throw new LatchkeyRefusedException(
        question,
        new Decision(403, null, "MISSING_PERMISSION", null, 0, question.permission(), "", ""));
  }

  /**
   * @deprecated by Spring Security, in favour of {@link #authorize}
   */
  @Deprecated
  @Override
  public AuthorizationDecision check(
      Supplier<Authentication> current, RequestAuthorizationContext context) {
    return authorize(current, context);
  }
}
