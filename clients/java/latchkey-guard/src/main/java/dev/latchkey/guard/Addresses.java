package dev.latchkey.guard;

import java.math.BigInteger;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.regex.Pattern;

/** Addresses and networks, read without ever resolving a name. */
final class Addresses {
  private static final String OCTET = "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";
  private static final Pattern V4 = Pattern.compile(OCTET + "(?:\\." + OCTET + "){3}");
  private static final Pattern WITH_PORT =
      Pattern.compile("\\[([^\\]]*)\\](?::\\d{1,5})?|([\\d.]+):\\d{1,5}");

  /** The longest run of zeros: one that no longer one follows. */
  private static final Pattern ZEROS = Pattern.compile("((?:(?:^|:)0\\b){2,}):?(?!.*\\b\\1:0\\b)");

  private static final Memo<String, String> PLAIN = new Memo<>(Addresses::read);

  private Addresses() {}

  /** Without port, brackets and zone; empty for anything but one address. */
  static String plain(String text) {
    return text == null ? "" : PLAIN.of(text);
  }

  private static String read(String text) {
    if (V4.matcher(text).matches()) return text;
    InetAddress address = parse(text);
    if (address == null) return "";
    // The longest run of zeros is left out: RFC 5952, section 4.2.
    return ZEROS.matcher(address.getHostAddress()).replaceFirst("::");
  }

  /** Null for anything but one address. An IPv4 address within IPv6 is the former. */
  static InetAddress parse(String text) {
    var match = WITH_PORT.matcher(text);
    String bare = match.matches() ? match.replaceFirst("$1$2") : text;
    if (bare.contains("%")) bare = bare.substring(0, bare.indexOf('%'));
    try {
      // In brackets nothing is taken for a name.
      return InetAddress.getByName(V4.matcher(bare).matches() ? bare : "[" + bare + "]");
    } catch (UnknownHostException e) {
      return null;
    }
  }

  /** Whether one of these networks, such as 192.0.2.0/24, contains an address. */
  static boolean isWithin(String text, List<String> networks) {
    InetAddress address = parse(text);
    return address != null && networks.stream().anyMatch(each -> contains(each, address));
  }

  private static boolean contains(String network, InetAddress address) {
    String[] parts = network.split("/", -1);
    InetAddress base = parse(parts[0]);
    if (base == null || parts.length != 2 || !parts[1].matches("\\d{1,3}")) return false;
    byte[] wanted = base.getAddress();
    byte[] found = address.getAddress();
    int rest = wanted.length * 8 - Integer.parseInt(parts[1]);
    var difference = new BigInteger(1, wanted).xor(new BigInteger(1, found));
    return wanted.length == found.length && rest >= 0 && difference.bitLength() <= rest;
  }
}
