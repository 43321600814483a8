package dev.latchkey.guard.servlet;

import dev.latchkey.guard.GuardedRequest;
import dev.latchkey.guard.Protection;
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

  /** Of the connection, whatever a filter says. Empty where a filter hides a forwarding header. */
  @Override
  public String peerAddress() {
    ServletRequest own = request;
    while (own instanceof ServletRequestWrapper wrapper) own = wrapper.getRequest();
    boolean isForwarded =
        own != request
            && own instanceof HttpServletRequest http
            && Protection.FORWARDING.stream().anyMatch(name -> http.getHeader(name) != null);
    return isForwarded ? "" : own.getRemoteAddr();
  }
}
