package dev.latchkey.guard;

import java.util.List;

/** What a guard reads of a request. A web framework's adapter implements it. */
public interface GuardedRequest {
  /** Headers that name the address of a client. */
  List<String> FORWARDING = List.of("X-Forwarded-For", "Forwarded", "X-Real-IP");

  /** The method that the handler gets, in capitals. */
  String method();

  /**
   * All values of a header, each by itself and in their order, as Latin-1.
   *
   * @param name in any letters
   */
  List<String> headers(String name);

  /** The path before decoding, without the query. */
  String rawPath();

  /** A parameter of the route as the handler gets it; null if there is none of this name. */
  String parameter(String name);

  /** The address of the peer; empty if it is not known. */
  String peerAddress();

  /**
   * Whether a proxy, or a client that lies, names another address than the peer's. An adapter reads
   * the headers that came, whatever a filter hides.
   */
  default boolean isForwarded() {
    return FORWARDING.stream().anyMatch(name -> !headers(name).isEmpty());
  }
}
