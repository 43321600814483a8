package dev.latchkey.guard;

import java.math.BigInteger;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Comparator;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** Addresses and networks, read without ever resolving a name. */
final class Addresses {
  private static final String OCTET = "(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)";
  private static final Pattern V4 =
      Pattern.compile("(?!0\\d)" + OCTET + "(?:\\.(?!0\\d)" + OCTET + "){3}");
  private static final Pattern V6 = Pattern.compile("(?=.*:)[0-9A-Fa-f:.]+");
  private static final Pattern WITH_PORT =
      Pattern.compile("\\[([^\\]]*)\\](?::\\d{1,5})?|([\\d.]+):\\d{1,5}");
  private static final Pattern ZEROS = Pattern.compile("(?<![0-9a-f])0(?::0)+(?![0-9a-f])");

  private Addresses() {}

  /** Without port, brackets and zone; empty for anything but one address. */
  static String plain(String text) {
    InetAddress address = parse(text == null ? "" : text);
    if (address == null) return "";
    String shown = address.getHostAddress();
    return address instanceof Inet6Address ? shortened(shown) : shown;
  }

  /** The longest run of zeros is left out: RFC 5952, section 4.2. */
  private static String shortened(String address) {
    return ZEROS
        .matcher(address)
        .results()
        .max(
            Comparator.<MatchResult>comparingInt(run -> run.group().length())
                .thenComparing(Comparator.<MatchResult>comparingInt(MatchResult::start).reversed()))
        .map(
            run ->
                address.substring(0, run.start()).replaceFirst(":$", "")
                    + "::"
                    + address.substring(run.end()).replaceFirst("^:", ""))
        .orElse(address);
  }

  /** Null for anything but one address. An IPv4 address within IPv6 is the former. */
  static InetAddress parse(String text) {
    var match = WITH_PORT.matcher(text);
    String bare =
        !match.matches() ? text : match.group(1) != null ? match.group(1) : match.group(2);
    int zone = bare.indexOf('%');
    if (zone >= 0) bare = bare.substring(0, zone);
    boolean isV4 = V4.matcher(bare).matches();
    if (!isV4 && !V6.matcher(bare).matches()) return null;
    try {
      // In brackets nothing is taken for a name.
      return InetAddress.getByName(isV4 ? bare : "[" + bare + "]");
    } catch (UnknownHostException e) {
      return null;
    }
  }

  /** Whether a network such as 192.0.2.0/24 contains an address. */
  static boolean contains(String network, InetAddress address) {
    int slash = network.indexOf('/');
    InetAddress base = slash < 0 ? null : parse(network.substring(0, slash));
    if (base == null || address == null || !network.substring(slash + 1).matches("\\d{1,3}"))
      return false;
    byte[] wanted = base.getAddress();
    byte[] found = address.getAddress();
    int rest = wanted.length * 8 - Integer.parseInt(network.substring(slash + 1));
    var difference = new BigInteger(1, wanted).xor(new BigInteger(1, found));
    return wanted.length == found.length && rest >= 0 && difference.bitLength() <= rest;
  }
}
