package dev.latchkey.guard.spring;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Says at a failed start which property to set. */
final class LatchkeyFailureAnalyzer extends AbstractFailureAnalyzer<IllegalArgumentException> {
  @Override
  protected FailureAnalysis analyze(Throwable failure, IllegalArgumentException problem) {
    if (!String.valueOf(problem.getMessage()).startsWith("Latchkey guard: ")) return null;
    String action =
        "Set the property of this name below \"latchkey.\", such as latchkey.target and"
            + " latchkey.service-token (LATCHKEY_TARGET and LATCHKEY_SERVICE_TOKEN in the"
            + " environment).";
    return new FailureAnalysis(problem.getMessage(), action, problem);
  }
}
