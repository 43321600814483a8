package dev.latchkey.guard;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;

/**
 * What a route requires. {@link Guard#protect} makes it.
 *
 * @param guard the guard that decides
 * @param permission {@code resource:action} with parameters in braces, or {@link Guard#ANY_KEY}
 * @param writes the same for everything but reads
 * @param operation what the handler does; null: the method shows it
 */
public record Protection(Guard guard, String permission, String writes, Operation operation) {
  /**
   * Checks the permissions.
   *
   * @throws IllegalArgumentException one is of neither form
   */
  public Protection {
    Permissions.checkTemplate(permission);
    Permissions.checkTemplate(writes);
  }

  /**
   * The same with another permission for everything but reads, to protect a whole path at once.
   *
   * @throws IllegalArgumentException it is no permission
   */
  public Protection forWrites(String permission) {
    return new Protection(guard, this.permission, permission, operation);
  }

  /** The same where the method does not show what the handler does: READ for a search by POST. */
  public Protection as(Operation operation) {
    return new Protection(guard, permission, writes, operation);
  }

  /** The names in braces, each of which a request has to have. */
  public Set<String> parameters() {
    Set<String> names = new HashSet<>(Permissions.parametersOf(permission));
    names.addAll(Permissions.parametersOf(writes));
    return names;
  }

  /** Asks the guard about a request. */
  public Decision check(GuardedRequest request) {
    return guard.check(question(request));
  }

  /**
   * The question that a request is. Where its parameters can't be part of a permission, it counts
   * as DESTROY, like an unknown method: no key may do that, and a client without a good key still
   * gets 401.
   */
  public Question question(GuardedRequest request) {
    Operation does =
        operation != null
            ? operation
            : guard.options.operations.getOrDefault(request.method(), Operation.DESTROY);
    String named = does == Operation.READ ? permission : writes;
    String template = named.equals(Guard.ANY_KEY) ? "" : named;
    String filled = Permissions.fillIn(template, name -> parameter(request, name));
    return new Question(
        guard.credentials.of(request),
        filled == null ? Operation.DESTROY : does,
        filled == null ? "" : filled,
        template,
        addressOf(request),
        guard.credentials.challengeFor(request),
        new RequestNames(request));
  }

  /** What the handler gets, if the path has the same text as a segment before decoding. */
  private static String parameter(GuardedRequest request, String name) {
    String value = request.parameter(name);
    boolean isSegment =
        value != null && Arrays.asList(request.rawPath().split("/", -1)).contains(value);
    return isSegment ? value : "";
  }

  /** The client's address, if it is certain. */
  private String addressOf(GuardedRequest request) {
    var own = guard.options.clientAddress;
    try {
      if (own != null) return Addresses.plain(own.apply(request));
    } catch (RuntimeException e) {
      return "";
    }
    return request.isForwarded() ? "" : Addresses.plain(request.peerAddress());
  }
}
