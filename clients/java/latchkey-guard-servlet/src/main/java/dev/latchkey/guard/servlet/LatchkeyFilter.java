package dev.latchkey.guard.servlet;

import dev.latchkey.guard.Decision;
import dev.latchkey.guard.Guard;
import dev.latchkey.guard.LatchkeyPrincipal;
import dev.latchkey.guard.Operation;
import dev.latchkey.guard.Protection;
import dev.latchkey.guard.Question;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.FilterRegistration;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.security.Principal;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Lets only granted requests through. What no route names is refused, so map the filter to all
 * paths that it protects. It judges the method and the path that the servlet gets: a filter that
 * changes the method stands before it.
 */
public final class LatchkeyFilter implements Filter {
  private final Guard guard;
  private final List<Route> routes;
  private final Filter otherwise;
  private final Protection unnamed;

  private LatchkeyFilter(Builder builder) {
    guard = builder.guard;
    routes = List.copyOf(builder.routes);
    otherwise = builder.otherwise;
    // No key may do that, and a client without a good key still gets 401.
    unnamed = guard.protect(Guard.ANY_KEY).as(Operation.DESTROY);
  }

  /** Begins a filter. */
  public static Builder builder(Guard guard) {
    return new Builder(guard);
  }

  /** Names the routes of a filter. */
  public static final class Builder {
    private final Guard guard;
    private final List<Route> routes = new ArrayList<>();
    private Filter otherwise;

    private Builder(Guard guard) {
      this.guard = guard;
    }

    /**
     * Protects a path below the context's. The first route that matches counts.
     *
     * @param path such as {@code /systems/{id}}, compared before decoding; {@code /**} at its end
     *     also stands for everything below
     * @throws IllegalArgumentException the path is unusable, or lacks a parameter of the permission
     */
    public Builder route(String path, Protection protection) {
      Route route = Route.of(path, protection);
      for (String name : protection.parameters()) {
        if (!route.segments().contains("{" + name + "}")) {
          throw new IllegalArgumentException(
              "route: \"%s\" has no {%s}, which its permission names".formatted(path, name));
        }
      }
      routes.add(route);
      return this;
    }

    /**
     * The platform's own check, which gets each request without an API key, even one without any
     * credential. It must refuse strangers.
     */
    public Builder otherwise(Filter check) {
      otherwise = check;
      return this;
    }

    /**
     * Makes the filter.
     *
     * @throws IllegalArgumentException it has no route
     */
    public LatchkeyFilter build() {
      if (routes.isEmpty()) throw new IllegalArgumentException("route: the filter has none");
      return new LatchkeyFilter(this);
    }
  }

  /** Adds the filter to a context, for requests, forwards and asynchronous dispatches. */
  public FilterRegistration.Dynamic addTo(ServletContext context, String... urlPatterns) {
    FilterRegistration.Dynamic added = context.addFilter("latchkey", this);
    added.setAsyncSupported(true);
    var dispatches =
        EnumSet.of(DispatcherType.REQUEST, DispatcherType.FORWARD, DispatcherType.ASYNC);
    added.addMappingForUrlPatterns(dispatches, true, urlPatterns);
    return added;
  }

  /** The principal of a granted request; empty for any other. */
  public static Optional<LatchkeyPrincipal> principalOf(ServletRequest request) {
    return ServletDecisions.granted(request).map(Decision::principal);
  }

  @Override
  public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    if (!(request instanceof HttpServletRequest http)
        || !(response instanceof HttpServletResponse answer)) {
      throw new ServletException("The Latchkey filter protects HTTP alone");
    }
    if (otherwise != null && !guard.isApiKey(new GuardedServletRequest(http, Map.of()))) {
      otherwise.doFilter(request, response, chain);
      return;
    }
    Question question = questionOf(http);
    var already = ServletDecisions.alreadyGranted(http, guard, question);
    Decision decision = already.orElseGet(() -> guard.check(question));
    if (!decision.isGranted()) {
      ServletDecisions.refuse(answer, guard, question.challenge(), decision);
      return;
    }
    if (already.isEmpty()) {
      ServletDecisions.writeHeaders(answer, guard, question.challenge(), decision);
      ServletDecisions.remember(http, guard, question, decision);
    }
    chain.doFilter(new GrantedRequest(http, decision.principal()), response);
  }

  private Question questionOf(HttpServletRequest request) {
    String path = request.getRequestURI().substring(request.getContextPath().length());
    for (Route route : routes) {
      Map<String, String> parameters = route.match(path);
      if (parameters != null) {
        return route.protection().question(new GuardedServletRequest(request, parameters));
      }
    }
    return unnamed.question(new GuardedServletRequest(request, Map.of()));
  }

  /** Shows the servlet who is granted. */
  private static final class GrantedRequest extends HttpServletRequestWrapper {
    private final LatchkeyPrincipal principal;

    GrantedRequest(HttpServletRequest request, LatchkeyPrincipal principal) {
      super(request);
      this.principal = principal;
    }

    @Override
    public Principal getUserPrincipal() {
      return principal;
    }

    @Override
    public String getRemoteUser() {
      return principal.getName();
    }

    @Override
    public String getAuthType() {
      return "Latchkey";
    }

    @Override
    public boolean isUserInRole(String permission) {
      return principal.hasPermission(permission);
    }
  }
}
