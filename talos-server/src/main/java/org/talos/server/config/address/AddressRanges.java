// SPDX-License-Identifier: Apache-2.0
package org.talos.server.config.address;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Addresses and networks, as a setting lists them. Immutable. */
public final class AddressRanges {
    private static final int IPV6_BITS = 128;

    /** No address at all. */
    public static final AddressRanges NONE = new AddressRanges(List.of());

    private final List<Range> ranges;

    private AddressRanges(List<Range> ranges) {
        this.ranges = List.copyOf(ranges);
    }

    /** The addresses whose first bits are those of one. Immutable. */
    @SuppressWarnings("ArrayRecordComponent") // ranges are never compared
    private record Range(byte[] prefix, int bits) {
        boolean contains(byte[] address) {
            if (address.length != prefix.length) {
                return false;
            }
            int whole = bits / Byte.SIZE;
            int rest = bits % Byte.SIZE;
            return Arrays.equals(address, 0, whole, prefix, 0, whole)
                    && (rest == 0 || (((address[whole] ^ prefix[whole]) & 0xff) >>> (Byte.SIZE - rest)) == 0);
        }
    }

    /**
     * Reads a list that commas separate.
     *
     * @param setting its name, for the message
     * @param list addresses such as {@code 10.0.0.7} and {@code fd00::7}, networks such as {@code 172.17.0.0/16}; may
     *     be empty
     * @throws IllegalArgumentException an element is neither. The message names the setting
     */
    public static AddressRanges parse(String setting, String list) {
        return new AddressRanges(Arrays.stream(list.split(",", -1))
                .map(String::strip)
                .filter(each -> !each.isEmpty())
                .map(each -> range(setting, each))
                .toList());
    }

    private static Range range(String setting, String text) {
        int slash = text.indexOf('/');
        String address = slash < 0 ? text : text.substring(0, slash);
        byte[] prefix = IpAddress.parse(address).map(InetAddress::getAddress).orElseThrow(() -> wrong(setting, text));
        int most = prefix.length * Byte.SIZE;
        if (slash < 0) {
            return new Range(prefix, most);
        }
        int mapped = address.indexOf(':') >= 0 ? IPV6_BITS - most : 0; // bits before an IPv4 address within an IPv6 one
        int bits = number(text.substring(slash + 1)) - mapped;
        if (bits < 0 || bits > most || !isEmptyBehind(prefix, bits)) {
            throw wrong(setting, text);
        }
        return new Range(prefix, bits);
    }

    /** The number of one to three digits; -1 if it is none. */
    private static int number(String text) {
        boolean isNumber =
                !text.isEmpty() && text.length() <= 3 && text.chars().allMatch(each -> each >= '0' && each <= '9');
        return isNumber ? Integer.parseInt(text) : -1;
    }

    /** A network with bits behind its prefix is a slip. */
    private static boolean isEmptyBehind(byte[] prefix, int bits) {
        for (int bit = bits; bit < prefix.length * Byte.SIZE; bit++) {
            if (((prefix[bit / Byte.SIZE] >> (Byte.SIZE - 1 - bit % Byte.SIZE)) & 1) != 0) {
                return false;
            }
        }
        return true;
    }

    private static IllegalArgumentException wrong(String setting, String text) {
        return new IllegalArgumentException(setting + ": " + text
                + " (expected: addresses such as 10.0.0.7 or fd00::7, and networks such as 172.17.0.0/16, separated by"
                + " commas; no names)");
    }

    /** Returns whether there is no address in it. */
    public boolean isEmpty() {
        return ranges.isEmpty();
    }

    /** Returns whether some range has every address of its kind. */
    public boolean hasAll() {
        return ranges.stream().anyMatch(each -> each.bits == 0);
    }

    /** Returns whether an address is in one of the ranges. */
    public boolean contains(InetAddress address) {
        byte[] bytes = address.getAddress();
        return ranges.stream().anyMatch(each -> each.contains(bytes));
    }

    /**
     * Returns whether the address of a connection's other end is in one of the ranges; one without an IP address is
     * not.
     */
    public boolean contains(@Nullable SocketAddress remote) {
        return !ranges.isEmpty()
                && remote instanceof InetSocketAddress internet
                && internet.getAddress() != null
                && contains(internet.getAddress());
    }
}
