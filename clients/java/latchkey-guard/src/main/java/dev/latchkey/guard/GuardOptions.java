package dev.latchkey.guard;

import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import javax.net.ssl.SSLContext;

/** The options of a guard, checked. */
record GuardOptions(
    URI target,
    String serviceToken,
    SSLContext tls,
    Duration deadline,
    Set<CredentialForm> credentials,
    String keyPrefix,
    Map<String, Operation> operations,
    Function<GuardedRequest, String> clientAddress,
    boolean leases,
    boolean logFailures,
    Consumer<DecisionEvent> onDecision,
    Consumer<DecisionEvent> onDenied,
    Consumer<Failure> onError,
    Clocks clocks) {}
