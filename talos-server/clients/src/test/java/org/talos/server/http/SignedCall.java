// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.talos.common.auth.Credential;
import org.talos.common.auth.RequestSignature;

/** A request as an SDK sends it, to be spoilt by a test before or after it is signed. Immutable. */
final class SignedCall {
    static final long NOW = 1_700_000_000;
    private static final String COMPACT = "application/x-thrift-compact";

    private final String path;
    private final Map<String, String> headers; // in the order in which they are sent
    private final byte[] body;

    SignedCall(String path, Map<String, String> headers, byte[] body) {
        this.path = path;
        this.headers = new LinkedHashMap<>(headers);
        this.body = body.clone();
    }

    String path() {
        return path;
    }

    Map<String, String> headers() {
        return headers;
    }

    byte[] body() {
        return body.clone();
    }

    /** The header names and values of the Go SDK. */
    static SignedCall likeGo(Credential credential, String path, byte[] body) {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("Host", "127.0.0.1:8080");
        headers.put("User-Agent", "Go-SDK/v1.0.0 Go/linux-amd64-go1.21");
        headers.put("Content-Length", Integer.toString(body.length));
        headers.put("Accept-Encoding", "gzip");
        headers.put("Content-Type", COMPACT);
        headers.put("X-Xiaomi-Content-Md5", RequestSignature.md5Hex(body));
        headers.put("X-Xiaomi-Date", "Tue, 14 Nov 2023 22:13:20 GMT");
        headers.put("X-Xiaomi-Timestamp", Long.toString(NOW));
        return new SignedCall(path, headers, body).signed(credential);
    }

    /** The header names and values of the Java SDK: no port in Host, and an MD5 that is a number. */
    static SignedCall likeJava(Credential credential, String path, byte[] body) {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("X-Xiaomi-Timestamp", Long.toString(NOW));
        headers.put("x-xiaomi-date", "Tue, 14 Nov 2023 22:13:20 GMT");
        headers.put("X-Xiaomi-Content-MD5", RequestSignature.md5Hex(body).replaceFirst("^0+", ""));
        headers.put("Content-Type", COMPACT);
        headers.put("Accept", COMPACT);
        headers.put("Host", "127.0.0.1");
        headers.put("User-Agent", "Java-SDK/1.0.0 Java/1.8.0_292");
        headers.put("Content-Length", Integer.toString(body.length));
        return new SignedCall(path, headers, body).signed(credential);
    }

    SignedCall with(String name, String value) {
        Map<String, String> changed = new LinkedHashMap<>(headers);
        changed.put(name, value);
        return new SignedCall(path, changed, body);
    }

    SignedCall without(String name) {
        Map<String, String> changed = new LinkedHashMap<>(headers);
        changed.remove(name);
        return new SignedCall(path, changed, body);
    }

    SignedCall to(String otherPath) {
        return new SignedCall(otherPath, headers, body);
    }

    SignedCall signed(Credential credential) {
        Map<String, List<String>> toSign = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        headers.forEach((name, value) -> toSign.put(name, List.of(value)));
        String text = RequestSignature.stringToSign("POST", path, null, toSign);
        return with(
                "Authorization",
                "Galaxy-V3 " + credential.keyId() + ":" + RequestSignature.sign(credential.secret(), text));
    }

    /** The request line and the headers. */
    String head() {
        StringBuilder head =
                new StringBuilder("POST ").append(path).append("?id=1b2c3d4e&type=putMessage HTTP/1.1\r\n");
        headers.forEach(
                (name, value) -> head.append(name).append(": ").append(value).append("\r\n"));
        return head.append("\r\n").toString();
    }

    byte[] bytes() {
        byte[] head = head().getBytes(ISO_8859_1);
        return ByteBuffer.allocate(head.length + body.length)
                .put(head)
                .put(body)
                .array();
    }
}
