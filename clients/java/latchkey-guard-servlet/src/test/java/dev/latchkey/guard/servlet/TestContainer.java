package dev.latchkey.guard.servlet;

import jakarta.servlet.Servlet;
import jakarta.servlet.ServletContext;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Consumer;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;

/** A Tomcat on a free port of the loopback interface. */
final class TestContainer implements AutoCloseable {
  private static final Logger QUIET = Logger.getLogger("org.apache");

  private final Tomcat tomcat = new Tomcat();
  private final Connector connector = new Connector();
  private final Path folder;

  TestContainer(Map<String, Servlet> servlets, Consumer<ServletContext> setUp) {
    QUIET.setLevel(Level.SEVERE);
    try {
      folder = Files.createTempDirectory("latchkey-tomcat-");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    tomcat.setBaseDir(folder.toString());
    connector.setPort(0);
    connector.setProperty("address", "127.0.0.1");
    // Otherwise it refuses them itself.
    connector.setEncodedSolidusHandling("passthrough");
    tomcat.setConnector(connector);
    var context = tomcat.addContext("", null);
    servlets.forEach(
        (path, servlet) -> {
          Tomcat.addServlet(context, path, servlet).setAsyncSupported(true);
          context.addServletMappingDecoded(path, path);
        });
    context.addServletContainerInitializer((classes, within) -> setUp.accept(within), null);
    try {
      tomcat.start();
    } catch (LifecycleException e) {
      throw new IllegalStateException(e);
    }
  }

  int port() {
    return connector.getLocalPort();
  }

  @Override
  public void close() {
    try {
      tomcat.stop();
      tomcat.destroy();
      try (var files = Files.walk(folder)) {
        for (Path each : files.sorted((one, other) -> other.compareTo(one)).toList()) {
          Files.delete(each);
        }
      }
    } catch (LifecycleException e) {
      throw new IllegalStateException(e);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
