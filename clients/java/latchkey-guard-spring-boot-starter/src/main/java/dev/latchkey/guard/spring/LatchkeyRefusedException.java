package dev.latchkey.guard.spring;

import dev.latchkey.guard.Decision;
import dev.latchkey.guard.Question;
import org.springframework.security.core.AuthenticationException;

/** The guard did not grant a request. The answer is the decision's: 401, 403, 429 or 503. */
public final class LatchkeyRefusedException extends AuthenticationException {
  private static final long serialVersionUID = 1L;

  private final transient Question question;
  private final transient Decision decision;

  LatchkeyRefusedException(Question question, Decision decision) {
    super("The guard answered " + decision.status() + " (" + decision.reason() + ")");
    this.question = question;
    this.decision = decision;
  }

  /** What was asked. */
  public Question question() {
    return question;
  }

  /** The answer. */
  public Decision decision() {
    return decision;
  }
}
