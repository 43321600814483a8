package dev.latchkey.guard.spring;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Says at a failed start which property to set. */
final class LatchkeyFailureAnalyzer
    extends AbstractFailureAnalyzer<UnusableLatchkeyPropertyException> {
  @Override
  protected FailureAnalysis analyze(Throwable failure, UnusableLatchkeyPropertyException problem) {
    String action =
        "Set the property of this name below \"latchkey.\", such as latchkey.target and"
            + " latchkey.service-token (LATCHKEY_TARGET and LATCHKEY_SERVICE_TOKEN in the"
            + " environment).";
    return new FailureAnalysis(problem.getMessage(), action, problem);
  }
}
