package dev.latchkey.guard;

import java.util.List;

/** What a guard reads of a request. A web framework's adapter implements it. */
public interface GuardedRequest {
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
}
