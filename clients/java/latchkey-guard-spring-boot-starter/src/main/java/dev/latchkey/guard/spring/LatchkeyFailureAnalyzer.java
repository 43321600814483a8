package dev.latchkey.guard.spring;

import dev.latchkey.guard.spring.LatchkeyFailureAnalyzer.UnusablePropertyException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Says at a failed start which property to set. */
final class LatchkeyFailureAnalyzer extends AbstractFailureAnalyzer<UnusablePropertyException> {
  /** A property of the guard is missing or unusable. */
  static final class UnusablePropertyException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    UnusablePropertyException(IllegalArgumentException cause) {
      super(cause.getMessage(), cause);
    }
  }

  @Override
  protected FailureAnalysis analyze(Throwable failure, UnusablePropertyException problem) {
    String action =
        "Set the property of this name below \"latchkey.\", such as latchkey.target and"
            + " latchkey.service-token (LATCHKEY_TARGET and LATCHKEY_SERVICE_TOKEN in the"
            + " environment).";
    return new FailureAnalysis(problem.getMessage(), action, problem);
  }
}
