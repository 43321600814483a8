package dev.latchkey.guard;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import dev.latchkey.guard.Answer.Lease;
import dev.latchkey.guard.LatchkeyPrincipal.Access;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

final class JudgementTest {
  @TestFactory
  Stream<DynamicTest> aLeaseIsJudgedAsTheTableSays() {
    JsonNode cases = ScriptedLatchkey.table("judgement.json").path("cases");
    return StreamSupport.stream(cases.spliterator(), false)
        .map(each -> DynamicTest.dynamicTest(each.path("name").asText(), () -> run(each)));
  }

  private static void run(JsonNode each) {
    JsonNode key = each.path("key");
    String named = key.path("maxAccess").asText(key.path("access").asText());
    Access access = named.equals("read-only") ? Access.READ_ONLY : Access.READ_AND_WRITE;
    // As the service makes them: what may be read and written, and what owner and subset both
    // cover.
    List<String> effective = new ArrayList<>();
    for (String permission : textsOf(key.path("owned"))) {
      boolean isWritable = permission.endsWith(":write") && access == Access.READ_AND_WRITE;
      if (permission.endsWith(":read") || isWritable) effective.add(permission);
    }
    if (key.path("subset").isArray()) {
      List<String> owned = effective;
      effective =
          textsOf(key.path("subset")).stream()
              .filter(permission -> !Permissions.covering(permission, owned).isEmpty())
              .toList();
    }
    var lease = new Lease(1, 1, key.path("subset").isArray(), textsOf(key.path("networks")));
    var principal = new LatchkeyPrincipal("k", "o", access, effective, Map.of(), Instant.MAX);
    JsonNode request = each.path("request");
    String operation = request.path("operation").asText().toUpperCase(Locale.ROOT);
    var question =
        new Question(
            Credential.NONE,
            Operation.valueOf(operation.replace('-', '_')),
            request.path("permission").asText(""),
            "",
            request.path("clientAddress").asText(""),
            "",
            new RequestNames(null));
    assertEquals(each.path("refusal").isNull(), lease.covering(question, principal) != null);
  }

  private static List<String> textsOf(JsonNode list) {
    List<String> texts = new ArrayList<>();
    list.forEach(each -> texts.add(each.asText()));
    return texts;
  }
}
