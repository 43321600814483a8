package dev.latchkey.guard.spring;

import dev.latchkey.guard.Decision;
import dev.latchkey.guard.Guard;
import org.springframework.security.authentication.AuthenticationProvider;
import org.springframework.security.core.Authentication;

/** Asks the guard about a {@link LatchkeyAuthentication}. */
public class LatchkeyAuthenticationProvider implements AuthenticationProvider {
  private final Guard guard;

  /** For beans of your own: the auto-configuration makes one. */
  public LatchkeyAuthenticationProvider(Guard guard) {
    this.guard = guard;
  }

  /**
   * @throws LatchkeyRefusedException the guard did not grant the request
   */
  @Override
  public Authentication authenticate(Authentication authentication) {
    if (!(authentication instanceof LatchkeyAuthentication asked) || asked.question() == null) {
      return null;
    }
    Decision decision = guard.check(asked.question());
    if (!decision.isGranted()) throw new LatchkeyRefusedException(asked.question(), decision);
    return LatchkeyAuthentication.granted(decision);
  }

  @Override
  public boolean supports(Class<?> authentication) {
    return LatchkeyAuthentication.class.isAssignableFrom(authentication);
  }
}
