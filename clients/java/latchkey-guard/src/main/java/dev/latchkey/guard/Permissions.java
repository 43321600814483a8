package dev.latchkey.guard;

import java.util.Collection;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The form of permissions, and which one covers which. */
final class Permissions {
  private static final String SEGMENT = "[A-Za-z0-9._-]+";
  private static final Pattern FORM =
      Pattern.compile(SEGMENT + "(?:/" + SEGMENT + ")*:[a-z][a-z0-9._-]{0,27}");
  private static final Pattern PLACEHOLDER = Pattern.compile("\\{([A-Za-z0-9_]+)\\}");
  private static final Pattern WHOLE_PART = Pattern.compile("(?<=^|/)" + PLACEHOLDER + "(?=[/:])");
  private static final Pattern ONLY_DOTS = Pattern.compile("(?:^|/)\\.+(?:/|$)");
  private static final int LONGEST_RESOURCE = 100;

  private Permissions() {}

  private static boolean isPermission(String text) {
    if (!FORM.matcher(text).matches()) return false;
    String resource = resourceOf(text);
    return resource.length() <= LONGEST_RESOURCE
        && !ONLY_DOTS.matcher(resource).find()
        && "._-".indexOf(resource.charAt(0)) < 0;
  }

  private static String resourceOf(String permission) {
    return permission.substring(0, permission.indexOf(':'));
  }

  /**
   * @throws IllegalArgumentException it is no permission, or a parameter is not a whole part of the
   *     resource
   */
  static void checkTemplate(String template) {
    if (isPermission(WHOLE_PART.matcher(template).replaceAll("x"))) return;
    throw new IllegalArgumentException(
        "permission: \"%s\" is not of the form resource:action or resource/{id}:action"
            .formatted(template));
  }

  static List<String> parametersOf(String template) {
    return PLACEHOLDER.matcher(template).results().map(found -> found.group(1)).toList();
  }

  /**
   * Puts the values of the route into a template. Null if a value is missing or can't be exactly
   * one part of a permission, so that no key may do this.
   */
  static String fillIn(String template, UnaryOperator<String> valueOf) {
    if (!template.contains("{")) return template;
    String filled =
        PLACEHOLDER
            .matcher(template)
            .replaceAll(found -> Matcher.quoteReplacement(valueOf.apply(found.group(1))));
    boolean isWhole = slashesIn(filled) == slashesIn(template) && isPermission(filled);
    return isWhole ? filled : null;
  }

  private static long slashesIn(String text) {
    return text.chars().filter(each -> each == '/').count();
  }

  /** The longest of these permissions that covers this one; empty if none does. */
  static String covering(String permission, Collection<String> among) {
    if (among.contains(permission)) return permission;
    if (!isPermission(permission)) return "";
    String resource = resourceOf(permission);
    String action = permission.substring(resource.length());
    for (int slash = resource.lastIndexOf('/'); slash >= 0; slash = resource.lastIndexOf('/')) {
      resource = resource.substring(0, slash);
      String wider = resource + action;
      if (among.contains(wider)) return wider;
    }
    return "";
  }
}
