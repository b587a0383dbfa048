// SPDX-License-Identifier: Apache-2.0
package org.talos.server.config.address;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Optional;

/** Reads addresses that are written as numbers. It never asks a name server. Immutable. */
public final class IpAddress {
    private static final int LONGEST_IPV6 = 45; // characters, with an IPv4 address as its end
    private static final int LONGEST_IPV4 = 15;
    private static final int PARTS_OF_IPV4 = 4;
    private static final int MOST_OF_PART = 255;

    private IpAddress() {}

    /**
     * Returns the address that a text is; empty if it is none. An IPv4 address has four decimal numbers without leading
     * zeros. An IPv6 address has no brackets and no zone. One that stands for an IPv4 address is that address.
     */
    public static Optional<InetAddress> parse(String text) {
        if (text.indexOf(':') >= 0) {
            return ipv6(text);
        }
        return text.length() <= LONGEST_IPV4 ? ipv4(text) : Optional.empty();
    }

    private static Optional<InetAddress> ipv4(String text) {
        byte[] bytes = new byte[PARTS_OF_IPV4];
        int at = 0;
        for (int part = 0; part < PARTS_OF_IPV4; part++) {
            int end = text.indexOf('.', at);
            end = end < 0 ? text.length() : end;
            int number = number(text, at, end);
            boolean isLast = part == PARTS_OF_IPV4 - 1;
            if (number < 0 || isLast != (end == text.length())) {
                return Optional.empty();
            }
            bytes[part] = (byte) number;
            at = end + 1;
        }
        return Optional.of(of(bytes));
    }

    /** A number of one to three digits up to 255; -1 if there is none. */
    private static int number(String text, int from, int to) {
        boolean isPadded = to - from > 1 && text.charAt(from) == '0';
        if (to <= from || to - from > 3 || isPadded) {
            return -1;
        }
        int number = 0;
        for (int i = from; i < to; i++) {
            char digit = text.charAt(i);
            if (digit < '0' || digit > '9') {
                return -1;
            }
            number = 10 * number + digit - '0';
        }
        return number > MOST_OF_PART ? -1 : number;
    }

    /**
     * The JDK reads text with a colon as an address. It would ask a name server only for text that begins with a dot.
     */
    private static Optional<InetAddress> ipv6(String text) {
        if (text.length() > LONGEST_IPV6
                || text.startsWith(".")
                || !text.chars().allMatch(IpAddress::isOfIpv6)) {
            return Optional.empty();
        }
        try {
            return Optional.of(InetAddress.getByName(text));
        } catch (UnknownHostException e) {
            return Optional.empty();
        }
    }

    private static boolean isOfIpv6(int character) {
        return character == ':' || character == '.' || (character < 0x80 && Character.digit(character, 16) >= 0);
    }

    /**
     * Returns an address of its bytes.
     *
     * @throws IllegalArgumentException there are neither 4 nor 16
     */
    public static InetAddress of(byte[] bytes) {
        try {
            return InetAddress.getByAddress(bytes);
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("bytes: " + bytes.length + " (expected: 4 or 16)", e);
        }
    }
}
