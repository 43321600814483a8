package dev.latchkey.guard;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class GuardBuilderTest {
  private static GuardBuilder good() {
    return Guard.builder().target("http://127.0.0.1:3080").serviceToken("token");
  }

  private static DynamicTest names(String problem, UnaryOperator<GuardBuilder> change) {
    return DynamicTest.dynamicTest(
        problem,
        () -> {
          GuardBuilder builder = change.apply(good());
          var thrown = assertThrows(IllegalArgumentException.class, builder::build);
          assertTrue(thrown.getMessage().contains(problem), thrown.getMessage());
          assertFalse(thrown.getMessage().contains("sécret"), thrown.getMessage());
        });
  }

  @TestFactory
  Stream<DynamicTest> anOptionThatIsMissingOrUnusableIsNamed() throws NoSuchAlgorithmException {
    SSLContext tls = SSLContext.getDefault();
    return Stream.of(
        names("target is missing", each -> each.target(null)),
        names("target is missing", each -> each.target("")),
        names("target must be a URL", each -> each.target("127.0.0.1:3080")),
        names("target must be a URL", each -> each.target("http://127.0.0.1:3080/v1")),
        names("target must be a URL", each -> each.target("http://user@127.0.0.1:3080")),
        names("target must be a URL", each -> each.target("http://user:sécret@127.0.0.1")),
        names("target must be a URL", each -> each.target("http://127.0.0.1:3080?a=b")),
        names("target must be a URL", each -> each.target("ftp://127.0.0.1")),
        names("target must be a URL", each -> each.target("http://127.0.0.1:0")),
        names("target must be a URL", each -> each.target("http://127.0.0.1:65536")),
        names("target must be https", each -> each.target("http://latchkey.internal:3080")),
        names("target must be https", each -> each.target("http://localhost.example:3080")),
        names("target must be https", each -> each.target("http://192.0.2.1:3080")),
        names("insecure", each -> each.target("https://latchkey.internal").insecure(true)),
        names("tls", each -> each.tls(tls)),
        names("serviceToken is missing", each -> each.serviceToken(null)),
        names("serviceToken is missing", each -> each.serviceToken("")),
        names("serviceToken contains", each -> each.serviceToken("sécret")),
        names("serviceToken contains", each -> each.serviceToken("two words")),
        names("deadline", each -> each.deadline(Duration.ZERO)),
        names("deadline", each -> each.deadline(null)),
        names("deadline", each -> each.deadline(Duration.ofDays(1000))),
        names("credentials", each -> each.credentials()),
        names("credentials", each -> each.credentials((CredentialForm) null)),
        names("keyPrefix", each -> each.keyPrefix("LK")),
        names("operations", each -> each.operations(Map.of("report", Operation.READ))));
  }

  @TestFactory
  Stream<DynamicTest> aUsableTargetIsTaken() throws NoSuchAlgorithmException {
    SSLContext tls = SSLContext.getDefault();
    return Stream.of(
            good().target("http://localhost:3080/"),
            good().target("http://[::1]:3080"),
            good().target("http://127.9.9.9"),
            good().target("http://latchkey.mesh:3080").insecure(true),
            good().target("https://latchkey.internal"),
            good().target("https://latchkey.internal").serviceToken(null).tls(tls))
        .map(each -> DynamicTest.dynamicTest("builds", () -> each.build().close()));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "systems",
        "systems:*",
        "systems/{id:read",
        "a{id}:read",
        "{id}:",
        "../x:read",
        ":read",
        "systems//x:read",
        "systems:read:write",
        "*:read"
      })
  void whatIsNoPermissionThrows(String permission) {
    try (Guard guard = good().build()) {
      for (var protect :
          List.<UnaryOperator<String>>of(
              text -> guard.protect(text).toString(),
              text -> guard.protect("systems:read").forWrites(text).toString())) {
        var thrown = assertThrows(IllegalArgumentException.class, () -> protect.apply(permission));
        assertTrue(thrown.getMessage().startsWith("permission: "), thrown.getMessage());
      }
    }
  }
}
