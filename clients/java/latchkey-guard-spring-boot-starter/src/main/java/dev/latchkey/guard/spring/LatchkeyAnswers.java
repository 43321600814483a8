package dev.latchkey.guard.spring;

import dev.latchkey.guard.Decision;
import dev.latchkey.guard.Guard;
import dev.latchkey.guard.servlet.ServletDecisions;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.function.Supplier;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.core.AuthenticationException;
import org.springframework.security.web.AuthenticationEntryPoint;
import org.springframework.security.web.access.AccessDeniedHandler;
import org.springframework.security.web.header.HeaderWriter;

/** Answers requests as every guard of Latchkey does. */
final class LatchkeyAnswers implements AuthenticationEntryPoint, AccessDeniedHandler, HeaderWriter {
  private static final Decision DENIED =
      new Decision(403, null, "OPERATION_NOT_ALLOWED", null, 0, "", "", "");

  private final Supplier<Guard> guard;

  LatchkeyAnswers(Supplier<Guard> guard) {
    this.guard = guard;
  }

  @Override
  public void commence(
      HttpServletRequest request, HttpServletResponse response, AuthenticationException problem)
      throws IOException {
    if (problem instanceof LatchkeyRefusedException refused) {
      String challenge = refused.question().challenge();
      ServletDecisions.refuse(response, guard.get(), challenge, refused.decision());
    } else {
      // Denied by a rule of the service itself, with no key or before it was looked at.
      ServletDecisions.refuse(response, guard.get(), "Bearer", DENIED);
    }
  }

  @Override
  public void handle(
      HttpServletRequest request, HttpServletResponse response, AccessDeniedException problem)
      throws IOException {
    ServletDecisions.refuse(response, guard.get(), "Bearer", DENIED);
  }

  /** The headers of a granted request. */
  @Override
  public void writeHeaders(HttpServletRequest request, HttpServletResponse response) {
    ServletDecisions.granted(request)
        .ifPresent(
            decision -> ServletDecisions.writeHeaders(response, guard.get(), "Bearer", decision));
  }
}
