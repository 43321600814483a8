import com.fasterxml.jackson.databind.ObjectMapper;
import dev.latchkey.guard.Credential;
import dev.latchkey.guard.Decision;
import dev.latchkey.guard.DecisionEvent;
import dev.latchkey.guard.Guard;
import dev.latchkey.guard.Operation;
import dev.latchkey.guard.Question;
import dev.latchkey.guard.RequestNames;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** The same as guard-program.mjs, with the Java guard. */
public class GuardProgram {
  record Options(String target, boolean leases, int paceMs, List<String> permissions) {}

  record Keys(Set<String> keys) {}

  static final ObjectMapper JSON = new ObjectMapper();
  static final Map<String, DecisionEvent.Source> sources = new ConcurrentHashMap<>();
  static final AtomicInteger count = new AtomicInteger();
  static volatile Set<String> keys = Set.of();
  static List<Map<String, Object>> decisions = new ArrayList<>();

  /** One clock for all processes of the machine: HotSpot reads CLOCK_MONOTONIC. */
  static double now() {
    return System.nanoTime() / 1e6;
  }

  static synchronized void add(Map<String, Object> decision) {
    decisions.add(decision);
  }

  static synchronized List<Map<String, Object>> taken() {
    List<Map<String, Object>> made = decisions;
    decisions = new ArrayList<>();
    return made;
  }

  static synchronized void write(Map<String, ?> message) throws Exception {
    System.out.println(JSON.writeValueAsString(message));
  }

  static void watch(Guard guard, Options options, String key) throws Exception {
    while (keys.contains(key)) {
      int number = count.incrementAndGet();
      String permission = options.permissions().get(number % options.permissions().size());
      var names = new RequestNames(null);
      var question =
          new Question(new Credential("", "Bearer " + key), Operation.READ, permission, "", "", "Bearer", names);
      Map<String, Object> one = new HashMap<>();
      one.put("startedAt", now());
      Decision decision = guard.check(question);
      one.put("endedAt", now());
      one.put("isFromLease", sources.remove(names.requestId()) == DecisionEvent.Source.LEASE);
      one.put("status", decision.status());
      one.put("permission", permission);
      if (decision.isGranted()) {
        one.put("keyId", decision.principal().keyId());
        one.put("granted", decision.principal().permissions());
        one.put("version", decision.principal().attributes().get("version"));
      }
      add(one);
      Thread.sleep(options.paceMs());
    }
  }

  interface Work {
    void run() throws Exception;
  }

  static void start(Work work) {
    Thread thread =
        new Thread(
            () -> {
              try {
                work.run();
              } catch (Exception e) {
                throw new IllegalStateException(e);
              }
            });
    thread.setDaemon(true);
    thread.start();
  }

  public static void main(String[] args) throws Exception {
    Options options = JSON.readValue(args[0], Options.class);
    Guard guard =
        Guard.builder()
            .target(options.target())
            .serviceToken("dev-validator-token")
            .leases(options.leases())
            .onDecision(event -> sources.put(event.requestId(), event.source()))
            .build();
    start(
        () -> {
          while (true) {
            Thread.sleep(50);
            var made = taken();
            if (!made.isEmpty()) write(Map.of("decisions", made));
          }
        });
    write(Map.of("ready", true));
    var lines = new BufferedReader(new InputStreamReader(System.in));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      Set<String> wanted = JSON.readValue(line, Keys.class).keys();
      Set<String> added = new HashSet<>(wanted);
      added.removeAll(keys);
      keys = wanted;
      for (String key : added) start(() -> watch(guard, options, key));
    }
  }
}
