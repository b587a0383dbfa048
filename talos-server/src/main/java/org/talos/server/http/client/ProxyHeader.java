// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.client;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.talos.server.config.address.IpAddress;

/**
 * The header by which a proxy that passes on bytes says whose they are: the PROXY protocol, versions 1 and 2.
 * Immutable.
 *
 * @param isOfProxy the proxy itself has opened the connection, as for a check of health
 * @param client null if the proxy does not know its address
 * @param isOverTls whether the client speaks TLS with the proxy
 */
public record ProxyHeader(boolean isOfProxy, @Nullable InetSocketAddress client, boolean isOverTls) {
    /** Most bytes of a header; a longer one is refused. */
    public static final int MOST_BYTES = 1_024;

    private static final byte[] TEXT = "PROXY ".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] BINARY = {0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A};
    private static final int MOST_OF_TEXT = 107; // bytes, as version 1 says
    private static final int TEXT_FIELDS = 6;

    private static final int BINARY_HEAD_BYTES = 16;
    private static final int VERSION_2 = 0x20;
    private static final int LOCAL = 0;
    private static final int PROXY = 1;
    private static final int IPV4_STREAM = 0x11;
    private static final int IPV6_STREAM = 0x21;
    private static final int IPV4_BYTES = 4;
    private static final int IPV6_BYTES = 16;
    private static final int UNIX_PATH_BYTES = 108;
    private static final int TLS_FIELD = 0x20;
    private static final int TLS_FIELD_BYTES = 5;

    private static final ProxyHeader OF_PROXY = new ProxyHeader(true, null, false);

    /**
     * Reads a header and moves the position behind it.
     *
     * @return null if more bytes are needed; the position stays
     * @throws IOException the bytes are no header of either version, or too long a one
     */
    public static @Nullable ProxyHeader read(ByteBuffer bytes) throws IOException {
        if (begins(bytes, TEXT)) {
            return text(bytes);
        }
        if (begins(bytes, BINARY)) {
            return binary(bytes);
        }
        throw new IOException("a trusted proxy began a connection without a header of the PROXY protocol");
    }

    /** Returns whether it may still become this beginning. */
    private static boolean begins(ByteBuffer bytes, byte[] beginning) {
        int known = Math.min(bytes.remaining(), beginning.length);
        for (int i = 0; i < known; i++) {
            if (bytes.get(bytes.position() + i) != beginning[i]) {
                return false;
            }
        }
        return true;
    }

    private static @Nullable ProxyHeader text(ByteBuffer bytes) throws IOException {
        int length = 0;
        while (length < bytes.remaining() && bytes.get(bytes.position() + length) != '\n') {
            length++;
        }
        if (length >= MOST_OF_TEXT) {
            throw malformed("a line without an end");
        }
        if (length == bytes.remaining()) {
            return null;
        }
        byte[] line = new byte[length + 1];
        bytes.get(line);
        String text = new String(line, StandardCharsets.ISO_8859_1);
        if (!text.endsWith("\r\n")) {
            throw malformed("a line that ends without CR");
        }
        return text(text.substring(0, text.length() - 2).split(" ", TEXT_FIELDS + 1));
    }

    private static ProxyHeader text(String[] fields) throws IOException {
        if (fields[1].equals("UNKNOWN")) {
            return new ProxyHeader(false, null, false);
        }
        if (fields.length != TEXT_FIELDS || !(fields[1].equals("TCP4") || fields[1].equals("TCP6"))) {
            throw malformed("a line of other fields");
        }
        Optional<InetAddress> address = IpAddress.parse(fields[2]);
        boolean isIpv4 = fields[2].indexOf(':') < 0;
        if (address.isEmpty() || isIpv4 != fields[1].equals("TCP4")) {
            throw malformed("an address that is none");
        }
        return new ProxyHeader(false, new InetSocketAddress(address.get(), port(fields[4])), false);
    }

    private static int port(String text) throws IOException {
        if (text.isEmpty() || text.length() > 5 || !text.chars().allMatch(each -> each >= '0' && each <= '9')) {
            throw malformed("a port that is none");
        }
        int port = Integer.parseInt(text);
        if (port > 0xffff) {
            throw malformed("a port that is none");
        }
        return port;
    }

    private static @Nullable ProxyHeader binary(ByteBuffer bytes) throws IOException {
        if (bytes.remaining() < BINARY_HEAD_BYTES) {
            return null;
        }
        int start = bytes.position();
        int command = bytes.get(start + BINARY.length) & 0xff;
        int kind = bytes.get(start + BINARY.length + 1) & 0xff;
        int length = bytes.getShort(start + BINARY.length + 2) & 0xffff;
        if (BINARY_HEAD_BYTES + length > MOST_BYTES) {
            throw malformed("more than " + MOST_BYTES + " bytes");
        }
        if (command != (VERSION_2 | LOCAL) && command != (VERSION_2 | PROXY)) {
            throw malformed("another version or command");
        }
        if (bytes.remaining() < BINARY_HEAD_BYTES + length) {
            return null;
        }
        ByteBuffer fields = bytes.slice(start + BINARY_HEAD_BYTES, length);
        bytes.position(start + BINARY_HEAD_BYTES + length);
        if (command == (VERSION_2 | LOCAL)) {
            return OF_PROXY;
        }
        InetSocketAddress client = client(kind, fields);
        return new ProxyHeader(false, client, isOverTls(fields));
    }

    /** Moves behind the addresses. */
    private static @Nullable InetSocketAddress client(int kind, ByteBuffer fields) throws IOException {
        int addressBytes = switch (kind >>> 4) {
            case 0 -> 0;
            case 1 -> IPV4_BYTES;
            case 2 -> IPV6_BYTES;
            case 3 -> UNIX_PATH_BYTES;
            default -> throw malformed("addresses of an unknown kind");
        };
        boolean hasPorts = addressBytes == IPV4_BYTES || addressBytes == IPV6_BYTES;
        int wanted = 2 * (addressBytes + (hasPorts ? Short.BYTES : 0));
        if (fields.remaining() < wanted) {
            throw malformed("addresses that are cut");
        }
        if (kind != IPV4_STREAM && kind != IPV6_STREAM) {
            fields.position(wanted);
            return null;
        }
        byte[] address = new byte[addressBytes];
        fields.get(address);
        int port = fields.getShort(2 * addressBytes) & 0xffff;
        fields.position(wanted);
        return new InetSocketAddress(IpAddress.of(address), port);
    }

    private static boolean isOverTls(ByteBuffer fields) throws IOException {
        boolean isOverTls = false;
        while (fields.hasRemaining()) {
            if (fields.remaining() < 1 + Short.BYTES) {
                throw malformed("a field that is cut");
            }
            int type = fields.get() & 0xff;
            int length = fields.getShort() & 0xffff;
            if (length > fields.remaining()) {
                throw malformed("a field that is cut");
            }
            if (type == TLS_FIELD && length >= TLS_FIELD_BYTES) {
                isOverTls = (fields.get(fields.position()) & 1) != 0; // PP2_CLIENT_SSL
            }
            fields.position(fields.position() + length);
        }
        return isOverTls;
    }

    private static IOException malformed(String what) {
        return new IOException("a header of the PROXY protocol that is none: " + what);
    }
}
