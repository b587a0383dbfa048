// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.resource;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;
import java.util.regex.Pattern;
import org.eclipse.jetty.http.HttpField;
import org.talos.server.http.rest.RestRequest;
import org.talos.server.http.rest.json.ProblemException;
import org.talos.server.http.rest.message.MessageHeaders;

/**
 * The header by which a client repeats a put without storing it twice. It is the caller's own: two users' equal keys
 * are two keys. The identity of a put has a digest of everything that goes into its messages.
 *
 * <p>Immutable.
 *
 * @param value the caller's name and the header's value
 * @param digest of all that goes into the messages: a repetition has the same
 */
record IdempotencyKey(String value, String digest) {
    static final String HEADER = "Idempotency-Key";
    private static final Pattern VALUE = Pattern.compile("[\\x21-\\x7e]{1,255}");

    /**
     * The key of a put, if it has one. To be called before the body is changed.
     *
     * @throws ProblemException 400
     */
    static Optional<IdempotencyKey> of(RestRequest request) {
        String value = request.header(HEADER, "");
        if (value.isEmpty()) {
            return Optional.empty();
        }
        if (!VALUE.matcher(value).matches()) {
            throw ProblemException.badRequest("header " + HEADER + " (expected: 1 to 255 visible characters of ASCII)");
        }
        return Optional.of(new IdempotencyKey(request.context().principal().userId() + "/" + value, digest(request)));
    }

    private static String digest(RestRequest request) {
        try {
            MessageDigest sha = MessageDigest.getInstance("SHA-256");
            for (HttpField field : request.headers().covered()) {
                if (field.getLowerCaseName().startsWith("talos-")
                        || field.getLowerCaseName().equals(MessageHeaders.CONTENT_TYPE)) {
                    sha.update((field.getLowerCaseName() + ":" + field.getValue() + "\n")
                            .getBytes(StandardCharsets.UTF_8));
                }
            }
            sha.update(request.body().duplicate());
            return HexFormat.of().formatHex(sha.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new LinkageError("every JDK has SHA-256", e);
        }
    }
}
