package dev.latchkey.guard.servlet;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.latchkey.guard.Credential;
import dev.latchkey.guard.Decision;
import dev.latchkey.guard.Guard;
import dev.latchkey.guard.Operation;
import dev.latchkey.guard.Question;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Optional;

/** What filters of a servlet container have in common: answers, and what a request was granted. */
public final class ServletDecisions {
  private static final String GRANTED = ServletDecisions.class.getName() + ".GRANTED";

  private ServletDecisions() {}

  /** What a guard decides about. The question of each dispatch has another request id. */
  private record Subject(
      Guard guard, Credential credential, Operation operation, String permission) {
    Subject(Guard guard, Question question) {
      this(guard, question.credential(), question.operation(), question.permission());
    }
  }

  private record Granted(Subject subject, Decision decision) {}

  private static Optional<Granted> find(ServletRequest request) {
    return Optional.ofNullable((Granted) request.getAttribute(GRANTED));
  }

  /** Remembers what a request was granted, for its further dispatches. */
  public static void remember(
      ServletRequest request, Guard guard, Question question, Decision decision) {
    request.setAttribute(GRANTED, new Granted(new Subject(guard, question), decision));
  }

  /**
   * The decision about a request that this guard granted exactly this question before. An
   * asynchronous dispatch or a forward of the same request is not charged again; one to something
   * else is asked.
   */
  public static Optional<Decision> alreadyGranted(
      ServletRequest request, Guard guard, Question question) {
    var subject = new Subject(guard, question);
    return find(request).filter(granted -> granted.subject.equals(subject)).map(Granted::decision);
  }

  /** How a request was granted last; empty if it was not. */
  public static Optional<Decision> granted(ServletRequest request) {
    return find(request).map(Granted::decision);
  }

  /** Writes the headers that an answer carries, granted or not. */
  public static void writeHeaders(
      HttpServletResponse response, Guard guard, String challenge, Decision decision) {
    guard
        .headers(challenge, decision)
        .forEach(
            (name, value) -> {
              if (name.equals("Access-Control-Expose-Headers")) {
                response.addHeader(name, value);
              } else if (!name.equals("Cache-Control") || !response.containsHeader(name)) {
                response.setHeader(name, value);
              }
            });
  }

  /**
   * Writes the whole answer to a request that is not granted.
   *
   * @throws IOException the client has gone
   */
  public static void refuse(
      HttpServletResponse response, Guard guard, String challenge, Decision decision)
      throws IOException {
    writeHeaders(response, guard, challenge, decision);
    byte[] body = decision.body().getBytes(UTF_8);
    response.setStatus(decision.status());
    response.setContentType("application/json");
    response.setContentLength(body.length);
    response.getOutputStream().write(body);
  }
}
