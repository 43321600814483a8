package dev.latchkey.guard.testing;

import dev.latchkey.guard.LatchkeyPrincipal;
import dev.latchkey.guard.spring.LatchkeyAuthentication;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.springframework.security.core.context.SecurityContext;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.test.context.support.WithSecurityContextFactory;

/** Makes the security context of {@link WithLatchkeyPrincipal}. */
final class LatchkeyPrincipalContextFactory
    implements WithSecurityContextFactory<WithLatchkeyPrincipal> {
  @Override
  public SecurityContext createSecurityContext(WithLatchkeyPrincipal with) {
    var principal =
        new LatchkeyPrincipal(
            with.keyId(),
            with.ownerId(),
            with.access(),
            List.of(with.permissions()),
            attributesOf(with),
            FakeLatchkey.principal().expiresAt());
    SecurityContext context = SecurityContextHolder.createEmptyContext();
    context.setAuthentication(LatchkeyAuthentication.simulated(principal));
    return context;
  }

  private static Map<String, String> attributesOf(WithLatchkeyPrincipal with) {
    Map<String, String> attributes = new HashMap<>();
    for (String each : with.attributes()) {
      int equals = each.indexOf('=');
      if (equals < 0) {
        throw new IllegalArgumentException("attributes: \"" + each + "\" is not name=value");
      }
      attributes.put(each.substring(0, equals), each.substring(equals + 1));
    }
    return attributes;
  }
}
