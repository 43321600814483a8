package dev.latchkey.guard.testing;

import dev.latchkey.guard.LatchkeyPrincipal.Access;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.security.test.context.support.WithSecurityContext;

/**
 * Runs a test of Spring as if its requests came with a good key, without any Latchkey. Access and
 * permissions are judged: what the key may not do is answered with 403.
 */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
@WithSecurityContext(factory = LatchkeyPrincipalContextFactory.class)
public @interface WithLatchkeyPrincipal {
  /** The permissions of the key. */
  String[] permissions() default {};

  /** What the key may do at most. */
  Access access() default Access.READ_AND_WRITE;

  /** The id of the account. */
  String ownerId() default "owner-1";

  /** The id of the key. */
  String keyId() default "key-1";

  /** What the platform says of the account, each as {@code name=value}. */
  String[] attributes() default {};
}
