package dev.latchkey.guard.spring;

import org.springframework.beans.factory.BeanCreationException;

/** A property of the guard is missing or unusable. */
final class UnusableLatchkeyPropertyException extends BeanCreationException {
  private static final long serialVersionUID = 1L;

  UnusableLatchkeyPropertyException(IllegalArgumentException cause) {
    super(cause.getMessage(), cause);
  }
}
