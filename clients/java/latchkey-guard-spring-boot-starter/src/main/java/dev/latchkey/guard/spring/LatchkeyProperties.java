package dev.latchkey.guard.spring;

import dev.latchkey.guard.CredentialForm;
import java.time.Duration;
import java.util.List;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The options of the guard.
 *
 * @param target Latchkey's SERVICES_PORT: https://latchkey.internal:3080, or http: to this machine
 * @param serviceToken the token of a service identity with the role validator
 * @param sslBundle the name of an SSL bundle, for an authority or a client certificate of your own
 * @param insecure whether plain text to other machines is allowed, where a mesh encrypts it
 * @param deadline how long a request waits for its decision; then it is answered with 503
 * @param credentials where a request may carry its key: bearer, x-api-key, basic
 * @param keyPrefix Latchkey's KEY_PREFIX, by which API keys are told from other tokens
 * @param leases whether further requests of a key are granted without a call for a moment
 * @param clientAddressHeader a header that only your proxy sets, with the client's address
 */
@ConfigurationProperties("latchkey")
public record LatchkeyProperties(
    String target,
    String serviceToken,
    String sslBundle,
    boolean insecure,
    @DefaultValue("200ms") Duration deadline,
    @DefaultValue("bearer") List<CredentialForm> credentials,
    @DefaultValue("lk") String keyPrefix,
    boolean leases,
    String clientAddressHeader) {

  /** Never shows the token. */
  @Override
  public String toString() {
    return "LatchkeyProperties[target=" + target + "]";
  }
}
