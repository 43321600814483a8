package dev.latchkey.guard.servlet;

import dev.latchkey.guard.GuardedRequest;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletRequestWrapper;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/**
 * A request of a servlet container, as a guard reads it.
 *
 * @param request the one that the handler gets
 * @param parameters of the route
 */
public record GuardedServletRequest(HttpServletRequest request, Map<String, String> parameters)
    implements GuardedRequest {
  @Override
  public String method() {
    return request.getMethod();
  }

  @Override
  public List<String> headers(String name) {
    return Collections.list(request.getHeaders(name));
  }

  @Override
  public String rawPath() {
    return request.getRequestURI();
  }

  @Override
  public String parameter(String name) {
    return parameters.get(name);
  }

  /** Of the connection, whatever a filter says. */
  @Override
  public String peerAddress() {
    return received().getRemoteAddr();
  }

  @Override
  public boolean isForwarded() {
    HttpServletRequest received = received();
    for (String name : FORWARDING) {
      if (received.getHeader(name) != null) return true;
    }
    return false;
  }

  /** Without the filters that wrapped it. */
  private HttpServletRequest received() {
    ServletRequest own = request;
    while (own instanceof ServletRequestWrapper wrapper) own = wrapper.getRequest();
    return own instanceof HttpServletRequest http ? http : request;
  }
}
