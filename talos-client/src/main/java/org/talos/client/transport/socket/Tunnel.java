// SPDX-License-Identifier: Apache-2.0
package org.talos.client.transport.socket;

import java.io.EOFException;
import java.io.IOException;
import java.net.Authenticator;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.PasswordAuthentication;
import java.net.Proxy;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Connects to a server through a proxy: by {@code CONNECT} of HTTP (RFC 9110, section 9.3.6), or as SOCKS 5 (RFC 1928).
 *
 * <p>Confined: the thread that opens the connection.
 */
final class Tunnel {
    private static final int MOST_HEAD_BYTES = 64 << 10;
    private static final byte SOCKS_5 = 5;
    private static final byte NO_CREDENTIALS = 0;
    private static final byte NAME_AND_PASSWORD = 2;
    private static final byte CONNECT = 1;
    private static final byte IPV4 = 1;
    private static final byte NAME = 3;
    private static final byte IPV6 = 4;
    private static final int IPV4_BYTES = 4;
    private static final int IPV6_BYTES = 16;
    private static final int MOST_NAME_BYTES = 255;

    private static final String EXPECTED = " (expected: ClientConfig.withProxyCredentials";

    private final SocketChannel channel;
    private final Route route;
    private final Optional<PasswordAuthentication> login;

    private Tunnel(SocketChannel channel, Route route, Optional<PasswordAuthentication> login) {
        this.channel = channel;
        this.route = route;
        this.login = login;
    }

    /**
     * Asks the route's proxy to connect to its server, and waits for that.
     *
     * @param login user and password for the proxy
     * @throws ConnectException the proxy has refused it
     * @throws IOException the proxy has not answered
     */
    static void open(SocketChannel channel, Route route, Optional<PasswordAuthentication> login) throws IOException {
        Tunnel tunnel = new Tunnel(channel, route, login);
        if (route.proxy().type() == Proxy.Type.SOCKS) {
            tunnel.socks();
        } else {
            tunnel.connect();
        }
    }

    /** Returns the value of {@code Proxy-Authorization} (RFC 7617), which is a secret. */
    static String basic(PasswordAuthentication login) {
        String both = login.getUserName() + ":" + String.valueOf(login.getPassword());
        return "Basic " + Base64.getEncoder().encodeToString(both.getBytes(StandardCharsets.UTF_8));
    }

    private void connect() throws IOException {
        String host = route.host().indexOf(':') < 0 ? route.host() : "[" + route.host() + "]";
        String server = host + ":" + route.port();
        String authorization = login.map(each -> "Proxy-Authorization: " + basic(each) + "\r\n")
                .orElse("");
        send(("CONNECT " + server + " HTTP/1.1\r\nHost: " + server + "\r\n" + authorization + "\r\n")
                .getBytes(StandardCharsets.ISO_8859_1));
        String head = head();
        String first = head.substring(0, head.indexOf('\r'));
        if (first.matches("HTTP/1\\.[01] 407( .*)?")) {
            throw new ProxyLoginException("the proxy " + proxy()
                    + (login.isPresent()
                            ? " does not take the user and the password"
                            : " asks for a user and a password" + EXPECTED + ")"));
        }
        if (!first.matches("HTTP/1\\.[01] 2\\d\\d( .*)?")) {
            throw new ConnectException("the proxy " + proxy() + " answered " + first);
        }
    }

    /** Byte by byte: the bytes behind it are the server's. */
    private String head() throws IOException {
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n", head.length() - "\r\n\r\n".length()) < 0) {
            head.append((char) (read(1)[0] & 0xFF));
            if (head.length() > MOST_HEAD_BYTES) {
                throw new ConnectException("the answer of the proxy " + proxy() + " has no end");
            }
        }
        return head.toString();
    }

    private void socks() throws IOException {
        send(new byte[] {SOCKS_5, 2, NO_CREDENTIALS, NAME_AND_PASSWORD});
        byte[] method = read(2);
        if (method[0] != SOCKS_5) {
            throw new ConnectException("the proxy " + proxy() + " does not speak SOCKS 5");
        }
        if (method[1] == NAME_AND_PASSWORD) {
            authenticate();
        } else if (method[1] != NO_CREDENTIALS) {
            throw new ConnectException("the proxy " + proxy() + " takes no name and password");
        }
        byte[] host = bytes(route.host());
        send(ByteBuffer.allocate(7 + host.length)
                .put(new byte[] {SOCKS_5, CONNECT, 0, NAME, (byte) host.length})
                .put(host)
                .putShort((short) route.port())
                .array());
        byte[] reply = read(4);
        if (reply[1] != 0) {
            throw new ConnectException("the proxy " + proxy() + " does not connect (SOCKS 5 reply " + reply[1] + ")");
        }
        int address = switch (reply[3]) {
            case IPV4 -> IPV4_BYTES;
            case IPV6 -> IPV6_BYTES;
            default -> read(1)[0] & 0xFF;
        };
        var unused = read(address + Short.BYTES);
    }

    /** RFC 1929. */
    private void authenticate() throws IOException {
        PasswordAuthentication credentials = credentials();
        if (credentials == null) {
            throw new ProxyLoginException("the proxy " + proxy() + " asks for a name and a password" + EXPECTED
                    + ", java.net.socks.username and password, or an Authenticator)");
        }
        byte[] name = bytes(credentials.getUserName());
        byte[] password = bytes(String.valueOf(credentials.getPassword()));
        send(ByteBuffer.allocate(3 + name.length + password.length)
                .put((byte) 1)
                .put((byte) name.length)
                .put(name)
                .put((byte) password.length)
                .put(password)
                .array());
        if (read(2)[1] != 0) {
            throw new ProxyLoginException("the proxy " + proxy() + " does not take the name and the password");
        }
    }

    /** Returns the credentials of the client, or else those that the JDK's own sockets would find. */
    private @Nullable PasswordAuthentication credentials() {
        return login.isPresent() ? login.get() : ofTheJvm();
    }

    private @Nullable PasswordAuthentication ofTheJvm() {
        InetSocketAddress proxy = route.first();
        PasswordAuthentication asked = Authenticator.requestPasswordAuthentication(
                proxy.getHostString(), proxy.getAddress(), proxy.getPort(), "SOCKS5", "SOCKS authentication", null);
        if (asked != null) {
            return asked;
        }
        String name = System.getProperty("java.net.socks.username");
        return name == null
                ? null
                : new PasswordAuthentication(
                        name, System.getProperty("java.net.socks.password", "").toCharArray());
    }

    private String proxy() {
        return route.first().getHostString() + ":" + route.first().getPort();
    }

    private static byte[] bytes(String text) throws ConnectException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (bytes.length > MOST_NAME_BYTES) {
            throw new ConnectException("a name of " + bytes.length + " bytes (expected: 255 at most for SOCKS 5)");
        }
        return bytes;
    }

    private void send(byte[] bytes) throws IOException {
        ByteBuffer from = ByteBuffer.wrap(bytes);
        while (from.hasRemaining()) {
            channel.write(from);
        }
    }

    private byte[] read(int count) throws IOException {
        ByteBuffer to = ByteBuffer.allocate(count);
        while (to.hasRemaining()) {
            if (channel.read(to) < 0) {
                throw new EOFException("the proxy " + proxy() + " closed the connection");
            }
        }
        return to.array();
    }
}
