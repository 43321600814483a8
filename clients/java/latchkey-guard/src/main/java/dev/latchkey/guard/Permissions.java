package dev.latchkey.guard;

import java.util.Collection;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The form of permissions, and which one covers which. */
final class Permissions {
  private static final String SEGMENT = "(?!\\.+[/:])[A-Za-z0-9._-]+";
  private static final Pattern FORM =
      Pattern.compile(
          "(?=[A-Za-z0-9][^:]{0,99}:)%1$s(?:/%1$s)*:[a-z][a-z0-9._-]{0,27}".formatted(SEGMENT));
  private static final Pattern PLACEHOLDER = Pattern.compile("\\{([A-Za-z0-9_]+)\\}");
  private static final Pattern WHOLE_PART = Pattern.compile("(?<=^|/)" + PLACEHOLDER + "(?=[/:])");

  private Permissions() {}

  static boolean isPermission(String text) {
    return FORM.matcher(text).matches();
  }

  /**
   * @throws IllegalArgumentException it is neither {@link Guard#ANY_KEY} nor a permission whose
   *     parameters are whole parts of the resource
   */
  static void checkTemplate(String template) {
    if (Guard.ANY_KEY.equals(template)) return;
    if (template != null && isPermission(WHOLE_PART.matcher(template).replaceAll("x"))) return;
    throw new IllegalArgumentException(
        "permission: \"%s\" is not of the form resource:action or resource/{id}:action"
            .formatted(template));
  }

  static List<String> parametersOf(String template) {
    return PLACEHOLDER.matcher(template).results().map(found -> found.group(1)).toList();
  }

  /**
   * Puts the values of the route, none of which has a slash, into a template. Null if the result is
   * no permission, so that no key may do this.
   */
  static String fillIn(String template, UnaryOperator<String> valueOf) {
    if (!template.contains("{")) return template;
    String filled =
        PLACEHOLDER
            .matcher(template)
            .replaceAll(found -> Matcher.quoteReplacement(valueOf.apply(found.group(1))));
    return isPermission(filled) ? filled : null;
  }

  /** The longest of these permissions that covers this one; empty if none does. */
  static String covering(String permission, Collection<String> among) {
    if (among.contains(permission)) return permission;
    int slash = permission.lastIndexOf('/');
    if (slash < 0 || !isPermission(permission)) return "";
    String action = permission.substring(permission.indexOf(':'));
    for (; slash >= 0; slash = permission.lastIndexOf('/', slash - 1)) {
      String wider = permission.substring(0, slash) + action;
      if (among.contains(wider)) return wider;
    }
    return "";
  }
}
