// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.client;

import java.net.InetAddress;
import java.util.List;
import java.util.Optional;
import org.talos.server.config.address.AddressRanges;
import org.talos.server.config.address.IpAddress;

/**
 * The statements of trusted proxies on a request, in {@code X-Forwarded-For} and {@code X-Forwarded-Proto}. Immutable.
 *
 * @param client nearest address that is no trusted proxy, or the farthest that is known
 * @param isOverTls whether it speaks TLS; empty if no proxy says so or not
 */
record Forwarded(InetAddress client, Optional<Boolean> isOverTls) {
    /** Largest number of proxies that are followed; the sender before them counts as the client. */
    static final int MOST_HOPS = 32;

    private static final int MOST_DIGITS_OF_PORT = 5;

    /**
     * Follows the proxies from the nearest one. Each has appended the address of its own client, so an address that a
     * client makes up stands before the first untrusted address, and is ignored.
     *
     * @param from a trusted proxy, the other end of the connection
     * @param addresses values of {@code X-Forwarded-For}, in the order of arrival
     * @param schemes values of {@code X-Forwarded-Proto}
     * @return empty if no proxy says anything
     */
    static Optional<Forwarded> read(
            InetAddress from, List<String> addresses, List<String> schemes, AddressRanges trusted) {
        if (addresses.isEmpty() && schemes.isEmpty()) {
            return Optional.empty();
        }
        Optional<Boolean> isOverTls = schemes.isEmpty() ? Optional.empty() : Optional.of(areSecure(schemes));
        return Optional.of(new Forwarded(client(from, addresses, trusted), isOverTls));
    }

    private static InetAddress client(InetAddress from, List<String> addresses, AddressRanges trusted) {
        InetAddress client = from;
        int hops = 0;
        for (int line = addresses.size() - 1; line >= 0; line--) {
            String text = addresses.get(line);
            for (int end = text.length(); end >= 0; hops++) {
                int comma = text.lastIndexOf(',', end - 1);
                Optional<InetAddress> next =
                        element(text.substring(comma + 1, end).strip());
                if (next.isEmpty() || hops >= MOST_HOPS) {
                    return client; // the part before it was not written by a trusted proxy
                }
                client = next.get();
                if (!trusted.contains(client)) {
                    return client;
                }
                end = comma;
            }
        }
        return client;
    }

    /** An address, in the forms that proxies have: with a port perhaps, and in brackets. */
    private static Optional<InetAddress> element(String text) {
        int bracket = text.indexOf(']');
        if (text.startsWith("[") && bracket > 0) {
            String address = text.substring(1, bracket);
            return address.indexOf(':') >= 0 && isPortOrNothing(text, bracket + 1)
                    ? IpAddress.parse(address)
                    : Optional.empty();
        }
        int colon = text.indexOf(':');
        if (colon >= 0 && colon == text.lastIndexOf(':')) {
            return isPortOrNothing(text, colon) ? IpAddress.parse(text.substring(0, colon)) : Optional.empty();
        }
        return IpAddress.parse(text);
    }

    private static boolean isPortOrNothing(String text, int from) {
        int digits = text.length() - from - 1;
        return digits < 0
                || (text.charAt(from) == ':'
                        && digits > 0
                        && digits <= MOST_DIGITS_OF_PORT
                        && text.chars().skip(from + 1L).allMatch(each -> each >= '0' && each <= '9'));
    }

    /** Returns whether all hops that name their protocol use TLS. */
    private static boolean areSecure(List<String> schemes) {
        return schemes.stream().allMatch(Forwarded::isSecure);
    }

    private static boolean isSecure(String schemes) {
        int start = 0;
        while (start <= schemes.length()) {
            int comma = schemes.indexOf(',', start);
            int end = comma < 0 ? schemes.length() : comma;
            String scheme = schemes.substring(start, end).strip();
            if (!scheme.equalsIgnoreCase("https") && !scheme.equalsIgnoreCase("wss")) {
                return false;
            }
            start = end + 1;
        }
        return true;
    }
}
