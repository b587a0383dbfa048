// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.security.MessageDigest;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.talos.client.TalosEndpoint;
import org.talos.common.auth.RequestSignature;

/**
 * A signed request over REST that a test changes on its way, after it is signed. Computes the digest by the text of
 * docs/rest.md and not by the server's code. Immutable.
 *
 * @param target path and query
 */
record SignedRest(String method, String target, List<Field> headers, String body) {
    private static final String DIGEST = "X-Xiaomi-Request-Digest";
    private static final Set<String> COVERED =
            Set.of("attached-info", "content-encoding", "idempotency-key", "last-event-id");

    /** A header of a request. Immutable. */
    record Field(String name, String value) {
        String lowerCaseName() {
            return name.toLowerCase(Locale.ROOT);
        }
    }

    SignedRest(String method, String target, String body) {
        this(method, target, List.of(), body);
    }

    SignedRest to(String otherTarget) {
        return new SignedRest(method, otherTarget, headers, body);
    }

    /** This request with one more header, which may repeat another one. */
    SignedRest with(String name, String value) {
        List<Field> more = new ArrayList<>(headers);
        more.add(new Field(name, value));
        return new SignedRest(method, target, more, body);
    }

    /** This request with another body. */
    SignedRest sending(String otherBody) {
        return new SignedRest(method, target, headers, otherBody);
    }

    SignedRest without(String name) {
        return new SignedRest(
                method,
                target,
                headers.stream()
                        .filter(each -> !each.name().equalsIgnoreCase(name))
                        .toList(),
                body);
    }

    /** This request with another value of a header that it has. */
    SignedRest changed(String name, String value) {
        return without(name).with(name, value);
    }

    /** Signed over query and headers too. */
    SignedRest signed(TalosEndpoint by) throws Exception {
        return with(DIGEST, digest()).signedWithoutDigest(by);
    }

    /** Signed as earlier clients sign: over method, content type, path and the {@code x-xiaomi-} headers. */
    SignedRest signedWithoutDigest(TalosEndpoint by) {
        return signedAt(Instant.now(), by);
    }

    /** Signed without a digest by a client whose clock shows that time. */
    SignedRest signedAt(Instant now, TalosEndpoint by) {
        return with("X-Xiaomi-Timestamp", Long.toString(now.getEpochSecond()))
                .with("X-Xiaomi-Date", DateTimeFormatter.RFC_1123_DATE_TIME.format(now.atOffset(ZoneOffset.UTC)))
                .signedWithoutTime(by);
    }

    /** Signed without a digest and without the time that every client sends. */
    SignedRest signedWithoutTime(TalosEndpoint by) {
        SignedRest dated = with("X-Xiaomi-Content-MD5", RequestSignature.md5Hex(body.getBytes(UTF_8)));
        Map<String, List<String>> signed = new TreeMap<>();
        dated.headers.forEach(each -> signed.put(each.lowerCaseName(), List.of(each.value())));
        String text = RequestSignature.stringToSign(method, target.split("\\?", 2)[0], null, signed);
        return dated.with(
                "Authorization", "Galaxy-V3 " + by.accessKey() + ":" + RequestSignature.sign(by.secretKey(), text));
    }

    private String digest() throws Exception {
        String[] parts = target.split("\\?", 2);
        StringBuilder text = new StringBuilder("v1\n")
                .append(parts.length > 1 ? parts[1] : "")
                .append('\n');
        headers.stream()
                .filter(each -> each.lowerCaseName().startsWith("talos-") || COVERED.contains(each.lowerCaseName()))
                .sorted(Comparator.comparing(Field::lowerCaseName))
                .forEach(each -> text.append(each.lowerCaseName())
                        .append(':')
                        .append(each.value())
                        .append('\n'));
        return "v1:"
                + HexFormat.of()
                        .formatHex(MessageDigest.getInstance("SHA-256")
                                .digest(text.toString().getBytes(UTF_8)));
    }

    /** The request as it is sent. */
    HttpRequest request(RestFixture rest) {
        HttpRequest.Builder request = rest.request(target)
                .method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
        headers.forEach(each -> request.header(each.name(), each.value()));
        return request.build();
    }
}
